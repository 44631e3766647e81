"""How a worker shows that it runs: a task, a row for each of its processes, and the results of periodic tasks."""

import socket
from typing import Any

from celery import shared_task, signals
from django.conf import settings

from config.queue import periodic, presence, worker_processes


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


@signals.task_success.connect
def note_success(sender: Any, **kwargs: Any) -> None:
    if sender.name in settings.CELERY_BEAT_SCHEDULE:
        periodic.note_end(sender.name, None)


@signals.task_failure.connect
def note_failure(sender: Any, exception: BaseException, **kwargs: Any) -> None:
    if sender.name in settings.CELERY_BEAT_SCHEDULE:
        periodic.note_end(sender.name, exception)


@shared_task
def note_worker() -> None:
    """Record in the database that the worker runs, for `manage.py doctor` and the deep check."""
    presence.note("worker", socket.gethostname())
