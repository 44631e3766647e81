"""The sending area's upkeep: what the clock asks for besides sending. Each may run twice at once, and be killed.

What goes in time goes by the rules of clean-up, see notifications/management/clean_up.py.
"""

from collections import Counter
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from config import figures, models
from notifications.models import Notification, Status, counting

SILENT_FOR = timedelta(hours=72)
BATCH = 1000
COUNTS = "message counts"  # the name under which the database knows when the last count was


@shared_task
def close_silent() -> None:
    """End what a provider took 72 h ago and never reported on, every 15 min."""
    end_silent()


@shared_task(soft_time_limit=240, time_limit=300)
def count_messages() -> None:
    """Bring the counters of recent days up to date, every minute."""
    counting.count_recent()
    models.note(COUNTS, "worker")


def end_silent() -> int:
    ended = 0
    silent = Notification.objects.silent_since(timezone.now() - SILENT_FOR).order_by("sent_at")
    while rows := list(silent.values_list("id", "channel", "key_type")[:BATCH]):
        ids = [identifier for identifier, _, _ in rows]
        ended += Notification.objects.filter(id__in=ids).advance(Status.TEMPORARY_FAILURE, timezone.now())
        for (channel, key_type), number in Counter(row[1:] for row in rows).items():
            figures.MESSAGES.add(channel, key_type, Status.TEMPORARY_FAILURE.value, number=number)
    return ended
