"""Pause, resume, move and cancel bulk sends. Source: docs/reference/bulk-sending.md §3, §8.

Each change and its audit event are one transaction. It takes the lease from a step that runs, whose rows then wait.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from config import audit
from config.audit import Actor
from config.databases import statements
from config.metrics import registry
from notifications import errors
from notifications.models import (
    BulkRow,
    BulkSend,
    BulkState,
    CallbackDelivery,
    Lane,
    Notification,
    RowState,
    Service,
    Status,
)
from notifications.models.bulk_send import MOVING, OPEN
from notifications.submission.bulk import counters, waking
from notifications.submission.bulk.steps import waiting_messages

PAUSED_FOR = timedelta(hours=72)  # then a paused bulk send is cancelled
CLAIMS_END_WITHIN = timedelta(minutes=2)  # messages that were claimed at the cancellation, and were not sent
STATEMENT_SECONDS = 30  # to cancel 100,000 rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancellation:
    """The rows that get no message because of a cancellation, and those that had theirs before."""

    cancelled: int
    already_sent: int


def pause(bulk_send: BulkSend, actor: Actor) -> None:
    """Stop sending: no waiting message is claimed any more. Raises BulkSendFinished."""
    now = timezone.now()
    with transaction.atomic():
        changed = _own(bulk_send, *MOVING).update(state=BulkState.PAUSED, paused_at=now, updated_at=now, holder="")
        if changed:
            waiting_messages(bulk_send).update(lane=Lane.PAUSED)
            _record(bulk_send, actor, "paused")
    _check(bulk_send, changed, BulkState.PAUSED)


def resume(bulk_send: BulkSend, actor: Actor) -> None:
    """Go on sending. The give-up times of the waiting messages move by the length of the pause.

    Raises BulkSendFinished.
    """
    now = timezone.now()
    with transaction.atomic():
        paused = _own(bulk_send, BulkState.PAUSED).select_for_update().first()
        if paused:
            is_early = paused.scheduled_for is not None and paused.scheduled_for > now
            state = BulkState.SCHEDULED if is_early else BulkState.PENDING
            _own(bulk_send, BulkState.PAUSED).update(
                state=BulkState.IN_PROGRESS if paused.messages else state,
                paused_at=None,
                updated_at=now,
                next_step_at=paused.scheduled_for if is_early and not paused.messages else Now(),
            )
            length = now - (paused.paused_at or now)
            waiting_messages(bulk_send).update(lane=Lane.BULK, due_at=F("due_at") + length)
            _record(bulk_send, actor, "resumed")
            waking.wake_all(bulk_send)
    _check(bulk_send, paused is not None, *MOVING)


def move(bulk_send: BulkSend, scheduled_for: datetime | None, actor: Actor) -> None:
    """Give a bulk send without messages another time. None: now. Raises BulkSendFinished, BulkSendNotScheduled."""
    now = timezone.now()
    with transaction.atomic():
        state = BulkState.SCHEDULED if scheduled_for else BulkState.PENDING
        times = {"scheduled_for": scheduled_for or now, "next_step_at": scheduled_for or Now(), "updated_at": now}
        waiting = _own(bulk_send, BulkState.SCHEDULED, BulkState.PENDING).filter(messages=0)
        paused = _own(bulk_send, BulkState.PAUSED).filter(messages=0)
        changed = waiting.update(state=state, holder="", **times) or paused.update(**times)
        if changed:
            _record(bulk_send, actor, "moved", scheduled_for=scheduled_for.isoformat() if scheduled_for else None)
            waking.wake_all(bulk_send)
    bulk_send.refresh_from_db()
    if not changed:
        raise errors.BulkSendFinished if bulk_send.has_ended else errors.BulkSendNotScheduled


def unclaimed(bulk_send: BulkSend) -> int:
    """Return how many rows `cancel` would cancel: those without a message, and those whose message no worker has."""
    messages: int = waiting_messages(bulk_send).filter(claimed_until=None).count()
    return bulk_send.waiting + messages


def cancel(bulk_send: BulkSend, actor: Actor) -> Cancellation:
    """Cancel the rows and messages that no worker has claimed. Raises BulkSendFinished if all rows are messages."""
    now = timezone.now()
    with transaction.atomic(), statements.allowed(STATEMENT_SECONDS):
        changed = _own(bulk_send, *OPEN).update(
            state=BulkState.CANCELLED, processing_finished=now, updated_at=now, holder="", paused_at=None
        )
        if changed:
            waiting = BulkRow.objects.filter(bulk_send=bulk_send, state=RowState.WAITING)
            international = waiting.filter(is_counted_international=True).count()
            count = waiting.update(state=RowState.CANCELLED)
            counters.give_back(bulk_send, count, international)
            _own(bulk_send).update(waiting=F("waiting") - count, cancelled=F("cancelled") + count)
            _cancel_messages(bulk_send, now)
            bulk_send.refresh_from_db()
            CallbackDelivery.objects.owe_bulk_send(bulk_send)
            _record(bulk_send, actor, "cancelled", cancelled=bulk_send.cancelled, already_sent=bulk_send.messages)
    _check(bulk_send, changed, BulkState.CANCELLED)
    return Cancellation(cancelled=bulk_send.cancelled, already_sent=bulk_send.messages)


def cancel_rows(bulk_send: BulkSend, pks: Sequence[int]) -> int:
    """Cancel these rows if they wait, and return how many. A step that runs loses the lease: its rows then wait."""
    now = timezone.now()
    with transaction.atomic():
        _own(bulk_send).update(holder="", updated_at=now)
        waiting = BulkRow.objects.filter(bulk_send=bulk_send, pk__in=pks, state=RowState.WAITING)
        international = waiting.filter(is_counted_international=True).count()
        count = waiting.update(state=RowState.CANCELLED)
        counters.give_back(bulk_send, count, international)
        _own(bulk_send).update(waiting=F("waiting") - count, cancelled=F("cancelled") + count)
    return count


def cancel_all(service: Service, actor: Actor) -> int:
    """Cancel the bulk sends of a service, which is archived. Return how many."""
    return _cancel_each(BulkSend.objects.filter(service=service, state__in=OPEN), actor)


def cancel_overdue() -> int:
    """Cancel what was paused for too long or belongs to an archived service, and messages that a worker put back."""
    now = timezone.now()
    for_too_long = Q(state=BulkState.PAUSED, paused_at__lt=now - PAUSED_FOR)
    archived = Q(state__in=OPEN, service__active=False)
    count = _cancel_each(BulkSend.objects.filter(for_too_long | archived), audit.CLOCK)
    recent = Q(state=BulkState.CANCELLED, processing_finished__gte=now - CLAIMS_END_WITHIN)
    for bulk_send in BulkSend.objects.filter(recent):
        with transaction.atomic():
            _cancel_messages(bulk_send, now)
    return count


def _cancel_each(bulk_sends: QuerySet[BulkSend], actor: Actor) -> int:
    count = 0
    for bulk_send in bulk_sends:
        try:
            cancel(bulk_send, actor)
        except errors.BulkSendFinished:  # it finished meanwhile
            continue
        count += 1
    return count


def _cancel_messages(bulk_send: BulkSend, now: datetime) -> None:
    """Cancel the messages that no worker has, except those that a provider may have accepted."""
    unclaimed = waiting_messages(bulk_send).filter(claimed_until=None)
    # A worker that died has left more claims than recorded attempts.
    ids = [
        identifier
        for identifier, attempt, attempts in unclaimed.values_list("id", "attempt", "attempts")
        if len(attempts) >= attempt and not any(one["outcome"] == "uncertain" for one in attempts)
    ]
    if ids:
        cancel_messages(bulk_send, ids, now)


def cancel_messages(bulk_send: BulkSend, ids: Sequence[UUID], now: datetime) -> None:
    """Cancel these messages of a bulk send, except those that a worker has claimed meanwhile."""
    messages = Notification.objects.filter(id__in=ids)
    messages.filter(claimed_until=None).advance(Status.CANCELLED, now)
    rows = BulkRow.objects.filter(state=RowState.MESSAGE, notifications__in=messages.filter(status=Status.CANCELLED))
    pks = dict(rows.values_list("pk", "is_counted_international"))
    count = BulkRow.objects.filter(pk__in=pks).update(state=RowState.CANCELLED)
    _own(bulk_send).update(messages=F("messages") - count, cancelled=F("cancelled") + count)
    counters.give_back(bulk_send, count, sum(pks.values()))
    transaction.on_commit(
        lambda: registry.MESSAGES.add(bulk_send.channel, bulk_send.key_type, Status.CANCELLED.value, number=count)
    )


def _own(bulk_send: BulkSend, *states: BulkState) -> QuerySet[BulkSend]:
    own = BulkSend.objects.filter(pk=bulk_send.pk)
    return own.filter(state__in=states) if states else own


def _check(bulk_send: BulkSend, changed: object, *wanted: BulkState) -> None:
    """Refresh the bulk send. Raise BulkSendFinished if nothing changed and it has none of these states."""
    bulk_send.refresh_from_db()
    if not changed and bulk_send.state not in wanted:
        raise errors.BulkSendFinished


def _record(bulk_send: BulkSend, actor: Actor, verb: str, **counts: Any) -> None:  # Any: JSON
    audit.record(actor, verb, after=counts or None, **audit.about(bulk_send))
