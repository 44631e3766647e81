"""The Celery tasks of bulk sends: steps that make messages, and the sweep every 10 s. Each may run twice at once.

They are here and not with the other tasks because a step renders messages by the rules of submission.
"""

import time

from celery import shared_task

from config.queue import publishing
from notifications import tasks
from notifications.models import BulkSend
from notifications.submission.bulk import change, steps

SECONDS = 2.0  # then the worker runs other tasks first
WAKE_WITHIN_SECONDS = 60  # the sweep finds later steps: a worker keeps a delayed wake-up in memory


@shared_task
def take_steps() -> None:
    """Make messages of the rows of bulk sends, which take turns, until none is due or the time is used up."""
    ends_at = time.monotonic() + SECONDS
    made = 0
    while time.monotonic() < ends_at:
        step = steps.take_next()
        if step is None:
            break
        made += step.made
        if step.again_in and step.again_in.total_seconds() <= WAKE_WITHIN_SECONDS:
            wake(in_seconds=step.again_in.total_seconds())
    else:
        wake()
    if made:
        tasks.wake_for_due()


def wake(*, in_seconds: float = 0) -> None:
    """Wake a worker for bulk sends once the transaction commits."""
    publishing.enqueue(take_steps, in_seconds=in_seconds)


@shared_task
def sweep() -> None:
    """Wake a worker for due bulk sends without a wake-up, and cancel what must not go on."""
    wake_for_due()


def wake_for_due() -> int:
    """Do what `sweep` does, and return the number of due or cancelled bulk sends."""
    cancelled = change.cancel_overdue()
    due = BulkSend.objects.due().count()
    if due:
        wake()
    return due + cancelled
