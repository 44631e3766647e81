"""The Celery application of both areas; tasks live in each area's `tasks` module.

A task carries the id of the request that caused it, and its log lines show both.
"""

import os
import time
from typing import Any

import structlog
from celery import Celery, signals

from config import figures

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("signalbox", amqp="config.broker:Broker", fixups=["config.between_tasks:fixup"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

log = structlog.get_logger()


@signals.setup_logging.connect
def keep_logging_as_it_is(**kwargs: Any) -> None:
    """Connected at all, this keeps Celery from bringing handlers of its own: the settings have said it all."""


@signals.worker_process_init.connect
def count(**kwargs: Any) -> None:
    figures.start()


@signals.worker_process_shutdown.connect
def keep_counts(**kwargs: Any) -> None:
    """A pool's process ends without what Python does at an end."""
    figures.flush()


@signals.before_task_publish.connect
def send_request_id(headers: dict[str, Any], **kwargs: Any) -> None:
    request_id = structlog.contextvars.get_contextvars().get("request_id")
    if request_id:
        headers["request_id"] = request_id


@signals.task_prerun.connect
def bind_ids(task_id: str, task: Any, **kwargs: Any) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
    request_id = getattr(task.request, "request_id", None)
    if request_id:
        structlog.contextvars.bind_contextvars(request_id=request_id)
    task.request.started = time.monotonic()


@signals.task_postrun.connect
def say_done(task: Any, state: str | None, **kwargs: Any) -> None:
    elapsed = time.monotonic() - task.request.started
    # What the clock asks for every few seconds would bury what callers asked for.
    say = log.info if "request_id" in structlog.contextvars.get_contextvars() else log.debug
    say("task.done", state=(state or "UNKNOWN").lower(), ms=round(elapsed * 1000, 1))
    structlog.contextvars.clear_contextvars()


@signals.task_failure.connect
def say_failed(exception: BaseException, **kwargs: Any) -> None:
    log.error("task.failed", exc_info=exception)
