"""The state of each queue of rows: how many wait, run and are retried, and since when the oldest is due.

Source: docs/reference/running.md §13; docs/reference/console.md §3.14.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any  # of rows of any model

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from notifications.delivery import pauses, providers
from notifications.models import (
    BulkSend,
    BulkState,
    CallbackDelivery,
    Channel,
    DeliveryState,
    EarlyReceipt,
    Lane,
    Notification,
    Status,
)
from notifications.models.bulk_send import MOVING, OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """The rows of one queue.

    waiting:  due and not claimed
    running:  claimed by a worker
    retrying: tried before, and not due again yet
    paused:   due, but somebody has paused them
    oldest:   since when the oldest row that waits or runs is due
    """

    queue: str
    waiting: int = 0
    running: int = 0
    retrying: int = 0
    paused: int = 0
    oldest: datetime | None = None

    @property
    def oldest_seconds(self) -> float:
        return max(0.0, (timezone.now() - self.oldest).total_seconds()) if self.oldest else 0.0


def of_all() -> Iterator[QueueState]:
    """Return the state of each queue of the sending area, with one query for each kind of row."""
    yield from _of_channels()
    # A receipt without a message is not due: it is for another system, or its message is not recorded yet.
    due = EarlyReceipt.objects.with_message().order_by().aggregate(waiting=Count("pk"), oldest=Min("received_at"))
    yield QueueState(queue="receipts", **due)
    yield _of_bulk_sends()
    yield _of_callbacks()


def _of_channels() -> Iterator[QueueState]:
    rows = _counted(
        Notification.objects.filter(status=Status.CREATED),
        is_paused=Q(lane=Lane.PAUSED),
        moment="next_attempt_at",
        by="channel",
    )
    found = {row.pop("channel"): row for row in rows}
    for channel in Channel:
        state = QueueState(queue=f"send-{channel.value}", **found.get(channel.value, {}))
        if pauses.is_stopped(channel, providers.names_for(channel)):
            total = state.paused + state.waiting
            state = QueueState(queue=state.queue, running=state.running, retrying=state.retrying, paused=total)
        yield state


def _of_callbacks() -> QueueState:
    waiting = CallbackDelivery.objects.filter(state=DeliveryState.WAITING)
    rows = _counted(waiting, is_paused=~Q(endpoint__paused_at=None), moment="next_attempt_at", by="state")
    row = next(iter(rows), {})
    row.pop("state", None)
    return QueueState(queue="callbacks", **row)


def _of_bulk_sends() -> QueueState:
    """Return the state of the bulk sends whose rows become messages."""
    due = Q(state__in=MOVING, next_step_at__lte=timezone.now())
    found = BulkSend.objects.filter(state__in=OPEN).aggregate(
        waiting=Count("pk", filter=due & Q(holder="")),
        running=Count("pk", filter=due & ~Q(holder="")),
        paused=Count("pk", filter=Q(state=BulkState.PAUSED)),
        oldest=Min(Greatest("seen_at", "next_step_at"), filter=due),  # they take turns, and each step is a turn
    )
    return QueueState(queue="bulk", **found)


def _counted(rows: QuerySet[Any], *, is_paused: Q, moment: str, by: str) -> list[dict[str, Any]]:
    """Count rows of a table that workers claim. Paused rows count as running until the claim ends."""
    now = timezone.now()
    claimed, is_due = Q(claimed_until__gte=now), Q(**{f"{moment}__lte": now})
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    counted = rows.order_by().values(by)
    return list(
        counted.annotate(
            waiting=Count("pk", filter=free & is_due & ~is_paused),
            running=Count("pk", filter=claimed),
            retrying=Count("pk", filter=free & ~is_due & Q(attempt__gt=0)),
            paused=Count("pk", filter=free & is_due & is_paused),
            oldest=Min(moment, filter=is_due & (claimed | ~is_paused)),
        )
    )
