"""Apply delivery receipts to messages. The status of a message never moves backwards.

A receipt is applied before the provider gets its answer, so an acknowledged receipt is never lost.
Source: docs/reference/sending-api.md §18, §19.2.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from config.metrics import registry
from config.utc_days import day_of
from notifications.delivery import suppressions
from notifications.delivery.messages import Receipt, ReceiptOutcome
from notifications.models import CountedDay, EarlyReceipt, Notification, Status, SuppressionSource
from notifications.models.status import COMPLETED

MOST_KEPT = 20  # receipts of one message; providers send far fewer
AT_ONCE = 500  # early receipts in one run

_READ = (
    *("id", "service_id", "channel", "key_type", "created_at", "status", "receipts"),
    *("recipient", "normalised_recipient"),
)

log = structlog.get_logger()


def take_in(provider: str, receipts: Iterable[Receipt]) -> int:
    """Apply delivery receipts, store those without a known message as early, and return the number of early ones."""
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


def apply(provider: str, receipt: Receipt, *, source: SuppressionSource = SuppressionSource.PROVIDER) -> bool:
    """Store one receipt with its message, update the status, and return whether the message exists.

    A repeated or late receipt changes nothing. A complaint or a hard bounce suppresses the recipient.
    """
    with transaction.atomic():
        matching = Notification.objects.handed_to(
            provider, reference=receipt.reference, notification_id=receipt.notification_id
        )
        message = matching.select_for_update(of=("self",)).only(*_READ).first()
        if message is None:
            return False
        row = Notification.objects.filter(id=message.id)
        if _note(message.receipts, receipt):
            row.update(receipts=message.receipts)
            suppressions.add_after_receipt(message, receipt, source)
        moved = receipt.outcome != ReceiptOutcome.COMPLAINT and row.advance(
            Status(receipt.outcome), timezone.now(), sent_at=Coalesce("sent_at", Value(timezone.now()))
        )
        if receipt.outcome == ReceiptOutcome.DELIVERED and not moved:
            row.confirm()
        if moved and message.status in COMPLETED:  # the count of its day may already be final
            CountedDay.objects.touch(message.service_id, day_of(message.created_at))
    if moved:
        registry.MESSAGES.add(message.channel, message.key_type, receipt.outcome.value)
    log.info(
        "notification.receipt_applied",
        notification_id=str(message.id),
        provider=provider,
        outcome=receipt.outcome.value,
        changed=bool(moved),
    )
    return True


def apply_early() -> int:
    """Apply the early receipts with a known message, delete the expired ones, and return the number of both."""
    applied = 0
    for early in EarlyReceipt.objects.with_message()[:AT_ONCE]:
        receipt = Receipt(
            outcome=ReceiptOutcome(early.outcome),
            reference=early.reference,
            notification_id=early.notification_id,
            code=early.code,
            at=early.at,
        )
        if apply(early.provider, receipt):
            applied += EarlyReceipt.objects.filter(id=early.id).delete()[0]
    return applied + EarlyReceipt.objects.forget_old()


def _note(kept: list[Any], receipt: Receipt) -> bool:  # Any: JSON
    """Add one entry unless it is already there. Return whether it was added."""
    if len(kept) >= MOST_KEPT or any((one["outcome"], one["code"]) == (receipt.outcome, receipt.code) for one in kept):
        return False
    at: datetime = receipt.at or timezone.now()
    kept.append({"at": at.isoformat(), "outcome": receipt.outcome.value, "code": receipt.code})
    return True
