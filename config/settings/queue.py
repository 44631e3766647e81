"""Settings of Celery: broker, queues, workers and schedule. A task only wakes a worker; the row is the work."""

from typing import Any

from config import env_values
from config.env import env
from config.settings.base import AREAS, REDIS_PREFIX, REDIS_URL, VAR

if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_TRANSPORT = "config.queue.redis_queue:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
        "socket_connect_timeout": 5,
        "socket_timeout": 5,
        "visibility_timeout": 3600,
        "global_keyprefix": REDIS_PREFIX,
    }
else:
    _FILES = VAR / "queue"
    _FILES.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT = "config.queue.file_queue:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_FILES),
        "data_folder_out": str(_FILES),
        # Seconds; kombu's default is a whole second. Tests of other programs use 0.01.
        "polling_interval": env.float("QUEUE_POLL_SECONDS", 0.1, validate=env_values.between(0.005, 10)),
    }
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False  # broadcasts need routing, which the file queue does not support

# Each kind of work has its own queue and threads, so that slow work does not delay other work. The default
# queue is for short tasks that the clock publishes.
CELERY_TASK_DEFAULT_QUEUE = "periodic"
CELERY_TASK_ROUTES = {
    "notifications.tasks.sending.drain": {"queue": "send-email"},  # or send-sms: the publisher knows the channel
    "notifications.submission.bulk.tasks.take_steps": {"queue": "bulk"},
    "notifications.tasks.receipts.*": {"queue": "receipts"},
    "notifications.sandbox.tasks.*": {"queue": "receipts"},
    "notifications.tasks.callbacks.sweep_callbacks": {"queue": "periodic"},  # must not wait for callbacks itself
    "notifications.tasks.callbacks.*": {"queue": "callbacks"},
    "notifications.tasks.invites.mail_invite": {"queue": "callbacks"},  # few; they must not wait behind bulk emails
    "notifications.tasks.notices.mail_notice": {"queue": "callbacks"},
    "notifications.tasks.mailboxes.*": {"queue": "upkeep"},
    "notifications.tasks.upkeep.*": {"queue": "upkeep"},  # may take minutes; tasks that run every 10 s must not wait
    "datasets.tasks.build_columns": {"queue": "upkeep"},
    "datasets.tasks.store_saved_queries": {"queue": "upkeep"},
    "datasets.tasks.work_on_import": {"queue": "imports"},  # converts a large file for many minutes
    "datasets.tasks.store_statistics": {"queue": "upkeep"},
    "datasets.tasks.check_alarms": {"queue": "upkeep"},
    "config.jobs.tasks.*": {"queue": "upkeep"},
}
# The processes of `manage.py worker`, and the threads for each kind of work. None: the value of --concurrency.
WORKER_PROCESSES: dict[str, dict[tuple[str, ...], int | None]] = {
    "jobs": {("periodic",): 1, ("upkeep",): 1, ("imports",): 1}
}
if "notifications" in AREAS:
    WORKER_PROCESSES = {
        "sending": {("send-email",): None, ("send-sms",): None, ("callbacks",): 2},
        "bulk": {("receipts", "periodic", "bulk"): 2},  # its steps need much processor time
        "upkeep": {("upkeep",): 1, ("imports",): 1},
    }
WORKER_QUEUES = tuple(queue for groups in WORKER_PROCESSES.values() for queues in groups for queue in queues)
WAKE_UPS_KEPT = 1000  # of a queue while no worker runs: 100 a second would take 8 GB a day. The sweep finds the rest
CELERY_TASK_ALWAYS_EAGER = False  # read for each wake-up; a lookup in Celery's settings takes 30 µs
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_TIME_LIMIT = 30  # config/queue/time_limits.py; a fallback if a client's time-out fails
CELERY_TASK_PUBLISH_RETRY = False  # a failed publish is ignored: the sweep finds the row
CELERY_WORKER_PREFETCH_MULTIPLIER = 8
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # no limit; config/queue/broker.py sets the interval
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True

CELERY_BEAT_SCHEDULER = "config.queue.clock:Clock"
# Seconds between two runs of a task. config/queue/clock.py publishes no task whose queue is crowded.
_SECONDS = {
    "config.queue.tasks.note_worker": 10,
    "config.jobs.tasks.look_for_clean_up": 60,  # each rule has its own interval; the rows of its runs show when it ran
}
if "datasets" in AREAS:
    _SECONDS |= {
        "datasets.tasks.check_freshness": 60,
        "datasets.tasks.note_fields": 60,
        "datasets.tasks.store_statistics": 60,
        "datasets.tasks.check_alarms": 60,
        "datasets.tasks.build_columns": 60,
        "datasets.tasks.store_saved_queries": 60,
        "datasets.tasks.look_for_imports": 60,
    }
if "notifications" in AREAS:
    _SECONDS |= {
        "notifications.tasks.sending.sweep": 10,
        "notifications.submission.bulk.tasks.sweep": 10,
        "notifications.tasks.receipts.apply_receipts": 10,
        "notifications.sandbox.tasks.play_events": 10,
        "notifications.tasks.callbacks.sweep_callbacks": 10,
        "notifications.tasks.invites.sweep_invites": 60,
        "notifications.tasks.notices.sweep_notices": 60,
        "notifications.tasks.mailboxes.fetch_emails": 60,
        "notifications.tasks.upkeep.watch_limits": 60,
        "notifications.tasks.upkeep.close_without_receipt": 15 * 60,
        "notifications.tasks.upkeep.count_messages": 60,
    }
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    task: {"task": task, "schedule": seconds} for task, seconds in _SECONDS.items()
}
