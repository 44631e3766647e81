"""From a provider's receipt to the message's status, which never moves backwards.

Source: the sending contract §18, §19.2.
A receipt is applied before its provider is answered: one that we have answered for is never lost.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from config import figures
from notifications.delivery.messages import Outcome, Receipt
from notifications.models import CountedDay, EarlyReceipt, Notification, Status
from notifications.models.status import COMPLETED

MOST_KEPT = 20  # receipts of one message: no provider has so much to say
AT_ONCE = 500  # early receipts looked at in one run

_READ = ("id", "service_id", "channel", "key_type", "created_at", "status", "receipts")

log = structlog.get_logger()


def take_in(provider: str, receipts: Iterable[Receipt]) -> int:
    """Apply what a provider has reported; keep what is about no message we know of yet. Returns how many of those."""
    early = 0
    for receipt in receipts:
        if not apply(provider, receipt):
            early += 1
            EarlyReceipt.objects.create(
                provider=provider,
                reference=receipt.reference,
                notification_id=receipt.notification_id,
                outcome=receipt.outcome,
                code=receipt.code,
                at=receipt.at,
            )
            log.info("receipt.early", provider=provider, outcome=receipt.outcome.value)
    return early


def apply(provider: str, receipt: Receipt) -> bool:
    """Note one receipt with its message and move its status on, both or neither. Returns whether there is a message.

    One that says the same again, or comes too late, changes nothing.
    """
    with transaction.atomic():
        meant = Notification.objects.handed_to(
            provider, reference=receipt.reference, notification_id=receipt.notification_id
        )
        message = meant.select_for_update(of=("self",)).only(*_READ).first()
        if message is None:
            return False
        row = Notification.objects.filter(id=message.id)
        if _note(message.receipts, receipt):
            row.update(receipts=message.receipts)
        moved = receipt.outcome != Outcome.COMPLAINT and row.advance(
            Status(receipt.outcome), timezone.now(), sent_at=Coalesce("sent_at", Value(timezone.now()))
        )
        if receipt.outcome == Outcome.DELIVERED and not moved:
            row.confirm()
        if moved and message.status in COMPLETED:  # its day may have been counted for the last time
            CountedDay.objects.touch(message.service_id, message.created_at.astimezone(UTC).date())
    if moved:
        figures.MESSAGES.add(message.channel, message.key_type, receipt.outcome.value)
    log.info(
        "notification.reported",
        notification_id=str(message.id),
        provider=provider,
        outcome=receipt.outcome.value,
        changed=bool(moved),
    )
    return True


def apply_early() -> int:
    """Apply the receipts whose message is known by now, and drop those that waited too long. Returns how many went."""
    applied = 0
    for early in EarlyReceipt.objects.with_message()[:AT_ONCE]:
        receipt = Receipt(
            outcome=Outcome(early.outcome),
            reference=early.reference,
            notification_id=early.notification_id,
            code=early.code,
            at=early.at,
        )
        if apply(early.provider, receipt):
            applied += EarlyReceipt.objects.filter(id=early.id).delete()[0]
    return applied + EarlyReceipt.objects.forget_old()


def _note(kept: list[Any], receipt: Receipt) -> bool:  # Any: JSON
    """Add one entry, unless it is there already. Returns whether it was added."""
    if len(kept) >= MOST_KEPT or any((one["outcome"], one["code"]) == (receipt.outcome, receipt.code) for one in kept):
        return False
    at: datetime = receipt.at or timezone.now()
    kept.append({"at": at.isoformat(), "outcome": receipt.outcome.value, "code": receipt.code})
    return True
