"""Periodic tasks of the sending area besides sending. Each may run twice at the same time and may be killed.

Retention rules delete old rows, see notifications/management/clean_up.py.
"""

from collections import Counter
from datetime import timedelta
from typing import Any

from celery import shared_task
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from config.metrics import registry
from notifications.delivery import providers
from notifications.jobs import counting, limits
from notifications.models import KeyType, Notification, Status
from notifications.models.notification import ACCEPTED_FOR_GOOD

NO_RECEIPT_FOR = timedelta(hours=72)
BATCH = 1000


@shared_task
def close_without_receipt() -> None:
    """End messages that have no final status 72 h after their acceptance, every 15 min."""
    end_without_receipt()


@shared_task(time_limit=300)
def count_messages() -> None:
    """Update the statistics of recent days, every minute."""
    counting.count_recent()


@shared_task
def watch_limits() -> None:
    """End temporary changes of limits, and note the daily limits that are nearly used up, every minute."""
    limits.return_due()
    limits.note_used()


def end_without_receipt() -> int:
    """End messages without a delivery receipt as failures and return their number.

    If the provider is no longer configured or no longer sends receipts, the messages end as accepted.
    """
    sent = Notification.objects.sent_without_receipt_since(Now() - NO_RECEIPT_FOR)
    # A message of a test key waits only if a rule of the sandbox wants no result, and it has no provider.
    without_receipts = Q(status=Status.SENDING) & ~Q(provider__in=providers.with_receipts()) & ~Q(key_type=KeyType.TEST)
    ended = sum(
        _end(sent.filter(without_receipts, channel=channel), status, is_acceptance_final=True)
        for channel, status in ACCEPTED_FOR_GOOD.items()
    )
    return ended + _end(sent.exclude(without_receipts), Status.TEMPORARY_FAILURE)


def _end(messages: QuerySet[Notification], status: Status, **changes: Any) -> int:  # Any: values of columns
    ended = 0
    while rows := list(messages.order_by("sent_at").values_list("id", "channel", "key_type")[:BATCH]):
        ids = [identifier for identifier, _, _ in rows]
        ended += Notification.objects.filter(id__in=ids).advance(status, timezone.now(), **changes)
        for (channel, key_type), number in Counter(row[1:] for row in rows).items():
            registry.MESSAGES.add(channel, key_type, status.value, number=number)
    return ended
