"""Celery: the broker and how workers behave. The queue is a hint; the row in the database is the truth."""

from config.settings.base import AREAS, REDIS_URL, VAR

if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_TRANSPORT = "config.redis_queue:Transport"
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

# One queue for each kind of work, and a pool of processes for each, so that a slow kind never holds up another. A task
# named nowhere here is short and asked for by the clock.
CELERY_TASK_DEFAULT_QUEUE = "periodic"
CELERY_TASK_ROUTES = {
    "notifications.tasks.sending.deliver": {"queue": "send-email"},  # or send-sms: who publishes knows the channel
    "notifications.tasks.receipts.*": {"queue": "receipts"},
    "notifications.tasks.callbacks.sweep_callbacks": {"queue": "periodic"},  # must not wait for callbacks itself
    "notifications.tasks.callbacks.*": {"queue": "callbacks"},
    "notifications.tasks.invites.mail_invite": {"queue": "callbacks"},  # few, and no campaign's emails go before them
    "notifications.tasks.upkeep.*": {"queue": "upkeep"},  # may take minutes: what comes every 10 s must not wait for it
    "config.console.tasks.*": {"queue": "upkeep"},
}
# The pools of `manage.py worker`: the queues of each, and its processes; None: as many as --concurrency says.
WORKER_POOLS: dict[tuple[str, ...], int | None] = {("periodic",): 1, ("upkeep",): 1}
if "notifications" in AREAS:
    WORKER_POOLS = {
        ("send-email",): None,
        ("send-sms",): None,
        ("receipts", "periodic"): 2,
        ("callbacks",): 2,
        ("upkeep",): 1,
    }
WORKER_QUEUES = tuple(queue for queues in WORKER_POOLS for queue in queues)
CELERY_TASK_ALWAYS_EAGER = False  # asked for each hint here, where Celery's own settings take 30 µs to answer
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SOFT_TIME_LIMIT = 25  # it backs the timers of clients; a message it ends is tried again
CELERY_TASK_TIME_LIMIT = 30
CELERY_TASK_PUBLISH_RETRY = False  # a failed publish is ignored: the sweep finds the row
CELERY_WORKER_POOL = "config.prefork:TaskPool"
CELERY_WORKER_PREFETCH_MULTIPLIER = 4
CELERY_WORKER_CONCURRENCY = 2
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # for ever; config/broker.py says how often
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True

CELERY_BEAT_SCHEDULER = "config.clock:Clock"
# A task nobody took expires when the next one is due: a worker that comes back finds one sweep to do, not a thousand.
CELERY_BEAT_SCHEDULE: dict[str, dict[str, object]] = {
    "note that a worker is there": {"task": "config.tasks.note_worker", "schedule": 10, "options": {"expires": 10}},
    # Each rule says itself how often it runs, and the rows of its runs when it has.
    "start the rules of clean-up that are due": {
        "task": "config.console.tasks.look_for_clean_up",
        "schedule": 60,
        "options": {"expires": 60},
    },
}
if "datasets" in AREAS:
    CELERY_BEAT_SCHEDULE |= {
        "say which data sets are late": {
            "task": "datasets.tasks.check_freshness",
            "schedule": 60,
            "options": {"expires": 60},
        },
        "note the fields of changed data sets": {
            "task": "datasets.tasks.note_fields",
            "schedule": 60,
            "options": {"expires": 60},
        },
    }
if "notifications" in AREAS:
    CELERY_BEAT_SCHEDULE |= {
        "enqueue the messages that are due": {
            "task": "notifications.tasks.sending.sweep",
            "schedule": 10,
            "options": {"expires": 10},
        },
        "apply the receipts that came early": {
            "task": "notifications.tasks.receipts.apply_receipts",
            "schedule": 10,
            "options": {"expires": 10},
        },
        "enqueue the callbacks that are due": {
            "task": "notifications.tasks.callbacks.sweep_callbacks",
            "schedule": 10,
            "options": {"expires": 10},
        },
        "enqueue the invites that are to be mailed": {
            "task": "notifications.tasks.invites.sweep_invites",
            "schedule": 60,
            "options": {"expires": 60},
        },
        "end the messages nobody reported on": {
            "task": "notifications.tasks.upkeep.close_silent",
            "schedule": 15 * 60,
            "options": {"expires": 15 * 60},
        },
        "count the messages of recent days": {
            "task": "notifications.tasks.upkeep.count_messages",
            "schedule": 60,
            "options": {"expires": 60},
        },
    }
