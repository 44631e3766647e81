"""End what is not sent yet, before a person's data is erased. Source: docs/reference/erasing.md §3, steps 1 and 2."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from notifications.models import BulkRow, BulkSend, Notification, RowState, Status
from notifications.one_person import drafts, kinds
from notifications.one_person.person import Person
from notifications.submission.bulk import change
from notifications.submission.sending import scheduled

_AT_ONCE = 200
_IS_FREE = Q(claimed_until=None) | Q(claimed_until__lt=Now())


def delete_drafts(person: Person) -> Iterator[int]:
    for draft in drafts.of(person):
        draft.delete()
        yield 1


def cancel_rows(person: Person) -> Iterator[int]:
    """Cancel the rows of bulk sends that wait, a bulk send at a time."""
    own = BulkRow.objects.filter(normalised_recipient__in=person.keys, state=RowState.WAITING)
    waiting = defaultdict(list)
    for bulk_send_id, pk in person.here(own, "bulk_send__service").values_list("bulk_send", "pk"):
        waiting[bulk_send_id].append(pk)
    for bulk_send in BulkSend.objects.filter(pk__in=waiting):
        yield change.cancel_rows(bulk_send, waiting[bulk_send.pk])


def cancel_messages(person: Person) -> Iterator[int]:
    """Cancel the messages that no worker has claimed. Those that a provider may have end as `technical-failure`."""
    while some := list(_unsent(person).filter(_IS_FREE).select_related("service", "bulk_row")[:_AT_ONCE]):
        ended = sum(_end(message) for message in some)
        if not ended:  # workers have claimed all of them meanwhile
            return
        yield ended


def is_busy(person: Person) -> bool:
    """Return whether a worker is sending a message or a callback of the person at this moment."""
    return _unsent(person).exists() or kinds.callbacks(person).filter(claimed_until__gte=Now()).exists()


def _unsent(person: Person) -> Any:  # Any: a query set of messages
    return kinds.messages(person).filter(status=Status.CREATED).order_by("created_at")


def _end(message: Notification) -> int:
    now = timezone.now()
    own = Notification.objects.filter(_IS_FREE, id=message.id, attempt=message.attempt)
    if _may_be_sent(message):
        return own.advance(Status.TECHNICAL_FAILURE, now)
    if message.bulk_row is not None:
        return _cancel_of_bulk_send(message.bulk_row, message.id)
    ended = own.advance(Status.CANCELLED, now)
    if ended:
        scheduled.after_cancelling(message, now)
    return ended


def _cancel_of_bulk_send(row: BulkRow, message_id: UUID) -> int:
    # An expired claim would keep the message from being cancelled.
    Notification.objects.filter(_IS_FREE, id=message_id).update(claimed_until=None)
    change.cancel_messages(row.bulk_send, [message_id], timezone.now())
    return Notification.objects.filter(id=message_id, status=Status.CANCELLED).count()


def _may_be_sent(message: Notification) -> bool:
    """Return whether a provider may have the message: an attempt without a record, or with an uncertain result."""
    lacks_record = len(message.attempts) < message.attempt
    return lacks_record or any(one["outcome"] == "uncertain" for one in message.attempts)
