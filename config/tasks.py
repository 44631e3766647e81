"""What the clock asks of any worker: to show that it is there."""

import socket
from typing import Any

from celery import shared_task, signals

from config import models


@signals.worker_ready.connect
def note_start(**kwargs: Any) -> None:
    """At once, and not when the clock first asks: `up` waits for it."""
    models.note("worker", socket.gethostname())


@shared_task
def note_worker() -> None:
    """Leave a trace in the database: `doctor` and the health page look for it."""
    models.note("worker", socket.gethostname())
