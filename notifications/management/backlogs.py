"""The number and age of due items in each queue, for metrics and `manage.py doctor`."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any  # of rows of any model

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from config.areas import Backlog, Finding
from notifications.models import CallbackDelivery, Channel, DeliveryState, EarlyReceipt, Notification, Status

OLD_SECONDS = 300  # thirty sweeps


def backlogs() -> Iterator[Backlog]:
    """Return the due items of each queue. Items are due from the time of their next attempt."""
    now = timezone.now()
    due = Notification.objects.filter(status=Status.CREATED, next_attempt_at__lte=now)
    for channel in Channel:
        yield _backlog(f"send-{channel.value}", due.filter(channel=channel), "next_attempt_at", now)
    # A receipt without a message is not due: it is for another system, or its message is not recorded yet.
    yield _backlog("receipts", EarlyReceipt.objects.with_message(), "received_at", now)
    callbacks = CallbackDelivery.objects.filter(
        state=DeliveryState.WAITING, next_attempt_at__lte=now, endpoint__paused_at=None
    )
    yield _backlog("callbacks", callbacks, "next_attempt_at", now)


def oldest_waiting() -> Finding:
    """Report the queues with due items. Old items may mean that a worker hangs."""
    waiting = [backlog for backlog in backlogs() if backlog.number]
    if not waiting:
        return Finding(name="backlog", seen="nothing is due")
    seen = ", ".join(f"{backlog.queue} {backlog.number}, oldest {backlog.oldest_seconds:.0f} s" for backlog in waiting)
    is_old = any(backlog.oldest_seconds > OLD_SECONDS for backlog in waiting)
    fix = "Check the worker's log and the providers, or start another worker." if is_old else ""
    return Finding(name="backlog", seen=seen, fix=fix)


def _backlog(queue: str, due: QuerySet[Any], moment: str, now: datetime) -> Backlog:
    found = due.order_by().aggregate(number=Count("pk"), oldest=Min(moment))
    age = max(0.0, (now - found["oldest"]).total_seconds()) if found["oldest"] else 0.0
    return Backlog(queue=queue, number=found["number"], oldest_seconds=age)
