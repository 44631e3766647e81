"""Suppress recipients after hard bounces, complaints and unsubscribes. Source: docs/reference/suppressions.md §2."""

import re
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import F

from config.erased import ERASED
from notifications.delivery.messages import Receipt, ReceiptOutcome
from notifications.models import (
    CallbackDelivery,
    Channel,
    KeyType,
    Notification,
    Service,
    Suppression,
    SuppressionReason,
    SuppressionSource,
)
from notifications.models.suppression import MAX_NOTE_CHARACTERS

EXPIRED = "Expired"
_AT_ONCE = 500

# RFC 3463 §3.2: 5.1.x is about an address. 5.1.5 is no failure, 5.1.7 and 5.1.8 are about the sender, and RFC 3886
# adds 5.1.9 about a relay.
_ENHANCED_CODE = re.compile(r"\A(?:5\d\d[ -])?5\.1\.(\d{1,3})\b")
_NOT_THE_RECIPIENT = frozenset({"5", "7", "8", "9"})
_HARD_CODES = frozenset({"bounced", "invalid"})  # anymail's names: no such mailbox, or no valid email address

log = structlog.get_logger()


def is_hard_bounce(code: str) -> bool:
    """Return whether a code states that the email address cannot receive email, now or later.

    code: of a delivery receipt, or a mail server's reply

    >>> is_hard_bounce("550 5.1.1 No such user"), is_hard_bounce("5.2.2"), is_hard_bounce("550 5.1.8 Bad sender")
    (True, False, False)
    """
    found = _ENHANCED_CODE.match(code)
    return found[1] not in _NOT_THE_RECIPIENT if found else code in _HARD_CODES


def add(suppression: Suppression) -> tuple[Suppression, bool]:
    """Store a suppression with its callbacks and return it and True. If an equal one is active, return it and False.

    The later end of both counts.
    """
    with transaction.atomic():
        equal = Suppression.objects.filter(
            service=suppression.service_id,
            channel=suppression.channel,
            normalised_recipient=suppression.normalised_recipient,
            reason=suppression.reason,
            lifted_at=None,
        )
        equal.ended().update(lifted_at=F("expires_at"), lift_reason=EXPIRED)
        Suppression.objects.bulk_create([suppression], ignore_conflicts=True)
        stored = equal.select_for_update().get()
        is_new = stored.pk == suppression.pk
        if is_new:
            CallbackDelivery.objects.owe_suppressions([stored])
        if not is_new and _is_later(suppression.expires_at, stored.expires_at):
            stored.expires_at = suppression.expires_at
            stored.save(update_fields=["expires_at"])
    return stored, is_new


def add_many(service: Service | None, rows: Sequence[Suppression]) -> int:
    """Store suppressions by hand, all of `service`, with their callbacks. Return how many are new.

    Active equal ones stay as they are.
    """
    added = 0
    with transaction.atomic():
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            equal = Suppression.objects.filter(
                service=service,
                reason=SuppressionReason.MANUAL,
                lifted_at=None,
                normalised_recipient__in=[row.normalised_recipient for row in some],
            )
            equal.ended().update(lifted_at=F("expires_at"), lift_reason=EXPIRED)
            Suppression.objects.bulk_create(some, ignore_conflicts=True)
            new = list(Suppression.objects.filter(pk__in=[row.pk for row in some]).order_by("created_at"))
            CallbackDelivery.objects.owe_suppressions(new)
            added += len(new)
    return added


def add_after_rejection(message: Notification, reply: str) -> None:
    """Suppress the recipient of an email that the mail server rejects, if its reply states a hard bounce."""
    if message.channel == Channel.EMAIL and is_hard_bounce(reply):
        add_for(message, SuppressionReason.HARD_BOUNCE, SuppressionSource.PROVIDER, note=reply)


def add_after_receipt(message: Notification, receipt: Receipt, source: SuppressionSource) -> None:
    """Suppress the recipient of an email after a complaint or a hard bounce."""
    if message.channel != Channel.EMAIL:
        return
    if receipt.outcome == ReceiptOutcome.COMPLAINT:
        add_for(message, SuppressionReason.COMPLAINT, source, note=receipt.code)
    elif receipt.outcome == ReceiptOutcome.PERMANENT_FAILURE and is_hard_bounce(receipt.code):
        add_for(message, SuppressionReason.HARD_BOUNCE, source, note=receipt.code)


def add_for(message: Notification, reason: SuppressionReason, source: SuppressionSource, *, note: str = "") -> None:
    """Suppress the recipient of a message, for its service. A test message and an erased one suppress nobody."""
    if message.key_type != KeyType.TEST and message.recipient != ERASED:
        add_recipient(
            service_id=message.service_id,
            recipient=message.recipient,
            normalised_recipient=message.normalised_recipient,
            reason=reason,
            source=source,
            notification_id=message.id,
            note=note,
        )


def add_recipient(
    *,
    service_id: UUID,
    recipient: str,
    normalised_recipient: str,
    reason: SuppressionReason,
    source: SuppressionSource,
    notification_id: UUID,
    note: str = "",
) -> None:
    """Suppress an email address for a service because of one of its emails."""
    suppression, is_new = add(
        Suppression(
            service_id=service_id,
            channel=Channel.EMAIL,
            recipient=recipient,
            normalised_recipient=normalised_recipient,
            reason=reason,
            source=source,
            notification_id=notification_id,
            note=note[:MAX_NOTE_CHARACTERS],
        )
    )
    if is_new:
        log.info(
            "suppression.added", service_id=str(service_id), suppression_id=str(suppression.id), reason=reason.value
        )


def _is_later(end: datetime | None, other: datetime | None) -> bool:
    """Return whether the first end is later. None: no end"""
    return other is not None and (end is None or end > other)
