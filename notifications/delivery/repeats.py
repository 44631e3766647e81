"""The repeat guard: find and prevent repeated messages. Source: docs/reference/bulk-sending.md §6.

A message repeats another one if template, recipient, key type and reference are equal within the service's
`repeat_guard_minutes`. A unique HMAC of the four decides which of two simultaneous messages is the first.
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.utils import timezone
from django.utils.crypto import salted_hmac

from config import mailboxes
from notifications.models import Notification, RepeatGuard, Service


class RepeatsMessage(Exception):
    """Another message of the last minutes has the same template, recipient, key type and reference."""

    def __init__(self, first: UUID) -> None:
        super().__init__()
        self.first = first


def find(
    service: Service, key_type: str, template_id: UUID, sent: Sequence[tuple[str, str | None]]
) -> list[UUID | None]:
    """Return, for each pair of a normalised recipient and a reference, the id of the message that it would repeat."""
    hashes = [_hashes(key_type, template_id, recipient, reference) for recipient, reference in sent]
    wanted = [equal for some in hashes for equal in some]
    if not service.repeat_guard_minutes or not wanted:
        return [None] * len(hashes)
    known = RepeatGuard.objects.within(service.repeat_guard_minutes).filter(service=service, content_hash__in=wanted)
    first = dict(known.values_list("content_hash", "message_id"))
    return [next((first[equal] for equal in some if equal in first), None) for some in hashes]


def find_first(service: Service, message: Notification) -> UUID | None:
    """Return the id of the message that this one, which is not stored yet, repeats."""
    sent = [(message.normalised_recipient, message.reference)]
    return find(service, message.key_type, message.template_id, sent)[0]


def claim_one(service: Service, message: Notification) -> None:
    """Raise RepeatsMessage, or make this message the first. Call it in the transaction that stores the message."""
    if first := claim(service, [message]).get(message.id):
        raise RepeatsMessage(first)


def claim(service: Service, messages: Sequence[Notification]) -> dict[UUID, UUID]:
    """Make these messages the first ones, and return those that repeat another: their id → the id of the first.

    Call it in the transaction that stores the other messages. Two of `messages` may be equal: the first one stays.
    """
    if not service.repeat_guard_minutes:
        return {}
    repeated = _repeating_earlier_keys(service, messages)
    hashes = {message.id: _hash_of(message) for message in messages if message.id not in repeated}
    first: dict[str, UUID] = {}
    for identifier, equal in hashes.items():
        if equal:
            first.setdefault(equal, identifier)
    now = timezone.now()
    made = partial(RepeatGuard, service=service, created_at=now)
    rows = [made(content_hash=equal, message_id=identifier) for equal, identifier in first.items()]
    # Sorted, so that two processes never deadlock. A conflicting row that is not committed yet is waited for.
    RepeatGuard.objects.bulk_create(sorted(rows, key=lambda row: row.content_hash), ignore_conflicts=True)
    own = RepeatGuard.objects.filter(service=service, content_hash__in=first)
    for row in own.exclude(message_id__in=first.values()).order_by("content_hash"):
        first[row.content_hash] = _take_over(row, first[row.content_hash], service)
    return repeated | {pk: first[equal] for pk, equal in hashes.items() if equal and first[equal] != pk}


def forget(message: Notification) -> None:
    """Forget a cancelled message, so that an equal one is sent."""
    if equal := _hash_of(message):
        RepeatGuard.objects.filter(service=message.service_id, content_hash=equal, message_id=message.id).delete()


def _repeating_earlier_keys(service: Service, messages: Sequence[Notification]) -> dict[UUID, UUID]:
    """Return the messages that repeat one whose hash an earlier release made: their id → the id of the first."""
    former = {
        equal: message.id
        for message in messages
        for equal in _hashes(message.key_type, message.template_id, message.normalised_recipient, message.reference)[1:]
    }
    if not former:
        return {}
    known = RepeatGuard.objects.within(service.repeat_guard_minutes).filter(service=service, content_hash__in=former)
    return {former[equal]: first for equal, first in known.values_list("content_hash", "message_id")}


def _take_over(row: RepeatGuard, message_id: UUID, service: Service) -> UUID:
    """Make the message the first if the stored row is too old. Return the id of the first message."""
    now = timezone.now()
    same = RepeatGuard.objects.filter(pk=row.pk)
    old = same.filter(created_at__lte=now - timedelta(minutes=service.repeat_guard_minutes))
    if old.update(message_id=message_id, created_at=now):
        return message_id
    return same.values_list("message_id", flat=True).first() or message_id  # a clean-up may delete the row


def _hash_of(message: Notification) -> str | None:
    hashes = _hashes(message.key_type, message.template_id, message.normalised_recipient, message.reference)
    return hashes[0] if hashes else None


def _hashes(key_type: str, template_id: UUID, recipient: str, reference: str | None) -> list[str]:
    """Return the hash of a message, and the one under an earlier key of its recipient. Empty without a reference."""
    if reference is None:
        return []
    listed = [json.dumps([key_type, str(template_id), key, reference]) for key in mailboxes.keys_of(recipient)]
    return [salted_hmac("notifications.repeats", values, algorithm="sha256").hexdigest() for values in listed]
