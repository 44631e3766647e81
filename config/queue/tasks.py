"""The task with which a worker shows that it runs."""

import socket
from typing import Any

from celery import shared_task, signals

from config.queue import presence


@signals.worker_ready.connect
def note_start(**kwargs: Any) -> None:
    """Record the worker at its start, because `manage.py up` waits for it."""
    presence.note("worker", socket.gethostname())


@shared_task
def note_worker() -> None:
    """Record in the database that the worker runs, for `manage.py doctor` and the deep check."""
    presence.note("worker", socket.gethostname())
