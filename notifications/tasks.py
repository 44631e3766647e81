"""Celery entry points of the sending area: one call each. They take ids, return nothing, and may run twice at once.

The row is the queue and these are hints, so no task declares retries: a message to be tried again says so in its row.
Source: Security and reliability §10, §11.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from celery import shared_task
from celery.signals import worker_ready
from django.utils import timezone

from config import publishing
from notifications.attachments import expiry
from notifications.delivery.deliver import deliver as hand_over
from notifications.models import Attachment, IdempotencyRecord, Notification, SandboxMessage, Status, retention

SWEEP_LIMIT = 500  # of messages enqueued in one sweep
HINTED_UP_TO = timedelta(
    minutes=1
)  # longer waits are left to the sweep: a worker holds what it is told early in memory
SILENT_FOR = timedelta(hours=72)
BATCH = 1000
PURGED_AT_ONCE = 10_000  # messages deleted by one task: 4 s on 2026-11-21, on SQLite and on PostgreSQL


@shared_task
def deliver(notification_id: str) -> None:
    """Send one message, and leave a hint for its next try where that is soon."""
    delay = hand_over(UUID(notification_id))
    if delay is not None and delay <= HINTED_UP_TO:
        publishing.enqueue(deliver, notification_id, in_seconds=delay.total_seconds())


@shared_task
def sweep() -> None:
    """Enqueue what is due and nobody was told of, every 10 s and when a worker starts."""
    enqueue_due()


@shared_task
def close_silent() -> None:
    """End what a provider took 72 h ago and never reported on, every 15 min."""
    end_silent()


@shared_task
def trim_sandbox() -> None:
    """Keep the sandbox inbox to its size, every 15 min."""
    SandboxMessage.objects.trim()


@shared_task
def forget_idempotency_keys() -> None:
    """Delete the records of Idempotency-Keys after a day, every hour."""
    IdempotencyRecord.objects.forget_old()


# Files may be many and their store slow: these two have the time of their runs, and end by themselves.
@shared_task(soft_time_limit=expiry.RUN_SECONDS + 60, time_limit=expiry.RUN_SECONDS + 120)
def expire_attachments() -> None:
    """Remove the files that are past their last day or withdrawn, every 15 min."""
    expiry.remove_due()


@shared_task(soft_time_limit=expiry.RUN_SECONDS + 60, time_limit=expiry.RUN_SECONDS + 120)
def tidy_attachments() -> None:
    """Remove what the ways of files have left behind: orphans, old rows, sealed messages; every night."""
    Notification.objects.forget_sealed()
    Attachment.objects.forget_old(timezone.now())
    expiry.remove_orphans()


@shared_task
def purge() -> None:
    """Delete what its service keeps no longer, daily at 03:00 UTC, and ask for another turn while there is more."""
    if retention.purge(PURGED_AT_ONCE) == PURGED_AT_ONCE:
        publishing.enqueue(purge)


def purge_all() -> int:
    removed = 0
    while count := retention.purge(PURGED_AT_ONCE):
        removed += count
    return removed


def enqueue_due() -> int:
    ids = Notification.objects.due_in_turn(SWEEP_LIMIT)
    Notification.objects.filter(id__in=ids).mark_enqueued()
    for notification_id in ids:
        publishing.enqueue(deliver, str(notification_id))
    return len(ids)


def end_silent() -> int:
    ended = 0
    silent = Notification.objects.silent_since(timezone.now() - SILENT_FOR).order_by("sent_at")
    while ids := list(silent.values_list("id", flat=True)[:BATCH]):
        ended += Notification.objects.filter(id__in=ids).advance(Status.TEMPORARY_FAILURE, timezone.now())
    return ended


@worker_ready.connect
def sweep_at_start(**kwargs: Any) -> None:  # Any: what the signal says of the worker
    """Find at once what a dead worker held and what the broker lost."""
    publishing.enqueue(sweep)
