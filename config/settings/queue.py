"""Celery: the broker and how workers behave. The queue is a hint; the row in the database is the truth."""

from celery.schedules import crontab

from config.settings.base import AREAS, REDIS_URL, VAR

if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
        "socket_connect_timeout": 5,
        "socket_timeout": 5,
        "visibility_timeout": 3600,
    }
else:
    _FILES = VAR / "queue"
    _FILES.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT = "config.file_queue:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_FILES),
        "data_folder_out": str(_FILES),
        "polling_interval": 0.05,  # kombu's default is a whole second
    }
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False  # broadcasts need routing, which these files do not have

CELERY_TASK_DEFAULT_QUEUE = "signalbox"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SOFT_TIME_LIMIT = 25
CELERY_TASK_TIME_LIMIT = 30
CELERY_TASK_PUBLISH_RETRY = False  # a failed publish is ignored: the sweep finds the row
CELERY_WORKER_PREFETCH_MULTIPLIER = 4
CELERY_WORKER_CONCURRENCY = 2
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True

CELERY_BEAT_SCHEDULER = "config.clock:Clock"
# A task nobody took expires when the next one is due: a worker that comes back finds one sweep to do, not a thousand.
CELERY_BEAT_SCHEDULE: dict[str, dict[str, object]] = {
    "note that a worker is there": {"task": "config.tasks.note_worker", "schedule": 10, "options": {"expires": 10}},
}
if "datasets" in AREAS:
    CELERY_BEAT_SCHEDULE["forget old idempotency keys"] = {
        "task": "datasets.tasks.forget_old_keys",
        "schedule": 60 * 60,
        "options": {"expires": 60 * 60},
    }
if "notifications" in AREAS:
    CELERY_BEAT_SCHEDULE |= {
        "enqueue the messages that are due": {
            "task": "notifications.tasks.sweep",
            "schedule": 10,
            "options": {"expires": 10},
        },
        "end the messages nobody reported on": {
            "task": "notifications.tasks.close_silent",
            "schedule": 15 * 60,
            "options": {"expires": 15 * 60},
        },
        "forget old idempotency keys of messages": {
            "task": "notifications.tasks.forget_idempotency_keys",
            "schedule": 60 * 60,
            "options": {"expires": 60 * 60},
        },
        "remove files past their last day": {
            "task": "notifications.tasks.expire_attachments",
            "schedule": 15 * 60,
            "options": {"expires": 15 * 60},
        },
        "tidy up after files": {
            "task": "notifications.tasks.tidy_attachments",
            "schedule": crontab(hour=3, minute=0),  # UTC
            "options": {"expires": 60 * 60},
        },
        "delete the messages no service keeps any longer": {
            "task": "notifications.tasks.purge",
            "schedule": crontab(hour=3, minute=0),  # UTC, as CELERY_TIMEZONE says
            "options": {"expires": 24 * 60 * 60},
        },
        "trim the sandbox inbox": {
            "task": "notifications.tasks.trim_sandbox",
            "schedule": 15 * 60,
            "options": {"expires": 15 * 60},
        },
    }
