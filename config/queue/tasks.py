"""How a worker shows that it runs: a task, and a row for each of its processes."""

import socket
from typing import Any

from celery import shared_task, signals

from config.queue import presence, worker_processes


@signals.worker_ready.connect
def note_start(**kwargs: Any) -> None:
    """Record the worker at its start, because `manage.py up` waits for it."""
    presence.note("worker", socket.gethostname())


@signals.worker_process_init.connect
def note_process(**kwargs: Any) -> None:
    worker_processes.begin()


@signals.worker_process_shutdown.connect
def forget_process(**kwargs: Any) -> None:
    worker_processes.this_process.forget()


@shared_task
def note_worker() -> None:
    """Record in the database that the worker runs, for `manage.py doctor` and the deep check."""
    presence.note("worker", socket.gethostname())
