"""The Celery application of both areas. The tasks are in the `tasks` module of each area.

A task has the id of the request that caused it. Its log lines show both ids.
"""

import os
import time
from typing import Any

import structlog
from celery import Celery, signals
from django.apps import apps
from django.db import close_old_connections, connections

from config.metrics import registry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# Celery's fixup for Django closes the connection pool before and after each task. Then every task opens a connection,
# which takes longer than most tasks, and other threads of the process find the pool closed.
app = Celery("signalbox", amqp="config.queue.broker:Broker", fixups=[])
app.set_default()  # the tasks of `shared_task` belong to it
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(lambda: [area.name for area in apps.get_app_configs()])
app.autodiscover_tasks(["config.queue", "config.jobs"])

log = structlog.get_logger()


@signals.setup_logging.connect
def keep_logging_as_it_is(**kwargs: Any) -> None:
    """Keep the logging settings. Celery adds no handlers if this signal has a receiver."""


@signals.worker_init.connect
def close_connections(**kwargs: Any) -> None:
    connections.close_all()


@signals.task_prerun.connect
@signals.task_postrun.connect
def close_unusable_connections(task: Any, **kwargs: Any) -> None:  # Any: untyped in Celery
    """Close connections that failed or are too old, and keep the others for the next task."""
    if not getattr(task.request, "is_eager", False):  # the caller's connection
        close_old_connections()


@signals.worker_process_init.connect
def start_metrics(**kwargs: Any) -> None:
    registry.start()


@signals.worker_process_shutdown.connect
def flush_metrics(**kwargs: Any) -> None:
    """Store the counts. The processes of a worker do not run `atexit` handlers."""
    registry.flush()


@signals.task_prerun.connect
def bind_ids(task_id: str, task: Any, **kwargs: Any) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
    request_id = getattr(task.request, "request_id", None)
    if request_id:
        structlog.contextvars.bind_contextvars(request_id=request_id)
    task.request.started = time.monotonic()


@signals.task_postrun.connect
def log_done(task: Any, state: str | None, **kwargs: Any) -> None:
    elapsed = time.monotonic() - task.request.started
    # Scheduled tasks run every few seconds and would hide the tasks that requests have caused.
    write = log.info if "request_id" in structlog.contextvars.get_contextvars() else log.debug
    write("task.done", state=(state or "UNKNOWN").lower(), ms=round(elapsed * 1000, 1))
    structlog.contextvars.clear_contextvars()


@signals.task_failure.connect
def log_failed(exception: BaseException, **kwargs: Any) -> None:
    log.error("task.failed", exc_info=exception)
