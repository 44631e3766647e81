"""Tell the workers about a row, once it is stored.

The row is the truth and this only a hint: whatever is lost here, a sweep finds. So a broker that is dead or hung never
breaks a request and hardly delays one. Measured on 2026-11-21 with Redis stopped: 1 ms; frozen: 0.5 s once in 5 s.
Source: Security and reliability §10, §12.
"""

import time
from functools import lru_cache, partial
from typing import Any

import structlog
from celery import Task
from django.conf import settings
from django.db import transaction
from kombu import Connection
from kombu.exceptions import KombuError
from kombu.pools import producers

from config.celery import app

TIMEOUT_SECONDS = 0.5  # of connecting and of each answer; Redis by default would block for more than 20 s
PAUSE_SECONDS = 5  # after a failure: or every request of an outage would wait for its own time-out

log = structlog.get_logger()


def enqueue(task: "Task[..., Any]", *arguments: str, in_seconds: float = 0) -> None:
    """Publish `task` with these ids when the transaction commits; at once where there is none.

    in_seconds: a worker takes it at once and holds it for so long; for short waits only.
    """
    transaction.on_commit(partial(_publish, task, arguments, in_seconds), robust=True)


def waiting() -> int:
    """Return how many messages the broker holds. Raises KombuError or OSError, in time, where it does not answer."""
    with producers[_connection()].acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
        return int(producer.channel.queue_declare(settings.CELERY_TASK_DEFAULT_QUEUE).message_count)


def _publish(task: "Task[..., Any]", arguments: tuple[str, ...], in_seconds: float) -> None:
    if time.monotonic() < _pause.until:
        return
    try:
        with producers[_connection()].acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
            task.apply_async(arguments, producer=producer, retry=False, countdown=in_seconds)
    except KombuError as error:
        _pause.until = time.monotonic() + PAUSE_SECONDS
        log.warning("queue.unreachable", task=task.name, error=type(error.__cause__ or error).__name__)


class _Pause:
    """Until when this process leaves the broker alone."""

    until = 0.0


_pause = _Pause()


@lru_cache(maxsize=1)
def _connection() -> Connection:
    """The web's own way to the broker: a worker waits longer, and for ever."""
    return app.connection_for_write(
        transport_options={
            "socket_connect_timeout": TIMEOUT_SECONDS,
            "socket_timeout": TIMEOUT_SECONDS,
            "max_retries": 0,
        }
    )
