"""How long messages and received texts are kept, and how they go: in batches, each a transaction of its own.

Of live and team messages a count remains, of test messages nothing. A message still waiting to be sent is not deleted:
it ends by its give-up time and goes with the next run. Safe to run twice, also at once: a batch is whole or not at all,
and a second run leaves alone what the first one holds. Source: the sending contract §21.
"""

from collections import Counter
from datetime import UTC, datetime, time, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from notifications.models.api_key import KeyType
from notifications.models.daily_count import DailyCount
from notifications.models.notification import Notification
from notifications.models.received_text import ReceivedText
from notifications.models.service import Service
from notifications.models.status import Status

BATCH = 500


def kept_since(service: Service) -> datetime:
    """Return the first moment of the oldest UTC day whose messages are shown, deleted yet or not."""
    day = timezone.now().astimezone(UTC).date() - timedelta(days=service.retention_days)
    return datetime.combine(day, time(tzinfo=UTC))


def purge(most: int) -> int:
    """Delete up to `most` messages and received texts that are older than their service keeps them.

    Returns how many; fewer than `most` means that there are no more.
    """
    removed = 0
    for service in Service.objects.order_by("id"):
        cutoff = kept_since(service)
        for key_type in KeyType:  # as the index of the list has it
            messages = Notification.objects.filter(service=service, key_type=key_type, created_at__lt=cutoff)
            ended = messages.exclude(status=Status.CREATED).order_by("created_at", "id")
            while removed < most and (count := _remove_messages(ended, min(BATCH, most - removed))):
                removed += count
        texts = ReceivedText.objects.filter(service=service, created_at__lt=cutoff).order_by("created_at", "id")
        while removed < most and (count := _remove_texts(texts, min(BATCH, most - removed))):
            removed += count
    return removed


@transaction.atomic
def _remove_messages(messages: QuerySet[Notification], most: int) -> int:
    columns = ("id", "service_id", "created_at", "channel", "template_id", "key_type", "status")
    batch = list(messages.select_for_update(skip_locked=True).only(*columns)[:most])
    counted = Counter(
        (message.created_at.astimezone(UTC).date(), message.template_id, message.key_type, message.status)
        for message in batch
        if message.key_type != KeyType.TEST
    )
    channels = {message.template_id: message.channel for message in batch}
    for (day, template_id, key_type, status), n in sorted(counted.items()):  # in one order, or two runs would deadlock
        DailyCount.objects.add(
            n,
            service_id=batch[0].service_id,
            day=day,
            channel=channels[template_id],
            template_id=template_id,
            key_type=key_type,
            status=status,
        )
    Notification.objects.filter(id__in=[message.id for message in batch]).delete()
    return len(batch)


@transaction.atomic
def _remove_texts(texts: QuerySet[ReceivedText], most: int) -> int:
    ids = list(texts.select_for_update(skip_locked=True).values_list("id", flat=True)[:most])
    ReceivedText.objects.filter(id__in=ids).delete()
    return len(ids)
