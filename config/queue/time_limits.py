"""The time limits of running tasks. Celery enforces them in pools of processes only, because no thread can be ended."""

import threading
import time
from typing import Any

from celery import signals
from django.conf import settings

_ends_at: dict[int, tuple[float, str]] = {}  # by thread: the end of its time as time.monotonic, and the task's name


@signals.task_prerun.connect
def begin(task: Any, **kwargs: Any) -> None:  # Any: the task, and the other arguments of the signal
    seconds = task.time_limit or settings.CELERY_TASK_TIME_LIMIT
    _ends_at[threading.get_ident()] = (time.monotonic() + seconds, task.name)


@signals.task_postrun.connect
def end(**kwargs: Any) -> None:  # Any: the arguments of the signal
    _ends_at.pop(threading.get_ident(), None)


def exceeded() -> str:
    """Return the name of a task that runs for longer than its limit, or an empty text."""
    now = time.monotonic()
    return next((name for ends_at, name in list(_ends_at.values()) if now > ends_at), "")
