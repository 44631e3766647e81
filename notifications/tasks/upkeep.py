"""The sending area's upkeep: what the clock asks for besides sending. Each may run twice at once, and be killed.

What goes in time goes by the rules of clean-up, see notifications/management/clean_up.py.
"""

from collections import Counter
from datetime import timedelta
from typing import Any

from celery import shared_task
from django.db.models import Q, QuerySet
from django.utils import timezone

from config import figures, models
from notifications.delivery import providers
from notifications.models import Notification, Status, counting
from notifications.models.notification import ACCEPTED_FOR_GOOD

SILENT_FOR = timedelta(hours=72)
BATCH = 1000
COUNTS = "message counts"  # the name under which the database knows when the last count was


@shared_task
def close_silent() -> None:
    """End what a provider accepted 72 h ago and has not reported a final status of, every 15 min."""
    end_silent()


@shared_task(soft_time_limit=240, time_limit=300)
def count_messages() -> None:
    """Bring the counters of recent days up to date, every minute."""
    counting.count_recent()
    models.note(COUNTS, "worker")


def end_silent() -> int:
    """End those messages as failures, if their provider reports deliveries. Returns how many have ended.

    Messages of other providers end as accepted: of a provider that is no longer configured, or was taken for one that
    reports when it accepted them.
    """
    silent = Notification.objects.silent_since(timezone.now() - SILENT_FOR)
    unreported = Q(status=Status.SENDING) & ~Q(provider__in=providers.reporting())
    ended = sum(
        _end(silent.filter(unreported, channel=channel), status, is_acceptance_final=True)
        for channel, status in ACCEPTED_FOR_GOOD.items()
    )
    return ended + _end(silent.exclude(unreported), Status.TEMPORARY_FAILURE)


def _end(messages: QuerySet[Notification], status: Status, **changes: Any) -> int:  # Any: values of columns
    ended = 0
    while rows := list(messages.order_by("sent_at").values_list("id", "channel", "key_type")[:BATCH]):
        ids = [identifier for identifier, _, _ in rows]
        ended += Notification.objects.filter(id__in=ids).advance(status, timezone.now(), **changes)
        for (channel, key_type), number in Counter(row[1:] for row in rows).items():
            figures.MESSAGES.add(channel, key_type, status.value, number=number)
    return ended
