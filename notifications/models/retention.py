"""How long messages and received texts are kept, and how they go: in batches, each a transaction of its own.

Of live and team messages a count remains, of test messages nothing. A message still waiting to be sent is not deleted:
it ends by its give-up time and goes with the next run. Safe to run twice, also at once: a batch is whole or not at all,
and a second run leaves alone what the first one holds. Source: the sending contract §21.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from config.console.clean_up.pace import OLD_ROWS_SECONDS, Pace
from notifications.models.api_key import KeyType
from notifications.models.daily_count import CountedDay, DailyCount
from notifications.models.notification import Notification
from notifications.models.received_text import ReceivedText
from notifications.models.service import Service
from notifications.models.status import Status


def kept_since(service: Service) -> datetime:
    """Return the first moment of the oldest UTC day whose messages are shown, deleted yet or not."""
    day = timezone.now().astimezone(UTC).date() - timedelta(days=service.retention_days)
    return datetime.combine(day, time(tzinfo=UTC))


def due_messages(service: Service) -> list[QuerySet[Notification]]:
    """Return what this service keeps no longer, one set a key type, as the index of the list has it."""
    old = Notification.objects.filter(service=service, created_at__lt=kept_since(service)).exclude(
        status=Status.CREATED
    )
    return [old.filter(key_type=key_type).order_by("created_at", "id") for key_type in KeyType]


def due_texts(service: Service) -> QuerySet[ReceivedText]:
    old = ReceivedText.objects.filter(service=service, created_at__lt=kept_since(service))
    return old.order_by("created_at", "id")


def purge() -> Iterator[tuple[Service, int]]:
    """Delete the messages and received texts that are older than their service keeps them.

    Yields after each batch: the service, and how many went.
    """
    pace = Pace(OLD_ROWS_SECONDS[connection.vendor])
    for service in Service.objects.order_by("id"):
        for messages in due_messages(service):
            while count := _remove_messages(messages, pace):
                yield service, count
        while count := _remove_texts(due_texts(service), pace):
            yield service, count


def _remove_messages(messages: QuerySet[Notification], pace: Pace) -> int:
    pace.begin()
    with transaction.atomic():
        count = _remove_batch(messages, pace.at_once)
    pace.end(count)
    return count


def _remove_batch(messages: QuerySet[Notification], most: int) -> int:
    columns = ("id", "service_id", "created_at", "channel", "template_id", "key_type", "status")
    batch = list(messages.select_for_update(skip_locked=True, of=("self",)).only(*columns)[:most])
    counted = Counter(
        (message.created_at.astimezone(UTC).date(), message.template_id, message.key_type, message.status)
        for message in batch
        if message.key_type != KeyType.TEST
    )
    channels = {message.template_id: message.channel for message in batch}
    # Days, then counts, in one order: two runs, or one and the clock's count, would deadlock otherwise.
    for day in sorted({day for day, *_ in counted}):
        CountedDay.objects.touch(batch[0].service_id, day)
    for (day, template_id, key_type, status), number in sorted(counted.items()):
        DailyCount.objects.add_deleted(
            number,
            service_id=batch[0].service_id,
            day=day,
            channel=channels[template_id],
            template_id=template_id,
            key_type=key_type,
            status=status,
        )
    Notification.objects.filter(id__in=[message.id for message in batch]).delete()
    return len(batch)


def _remove_texts(texts: QuerySet[ReceivedText], pace: Pace) -> int:
    pace.begin()
    with transaction.atomic():
        ids = list(texts.select_for_update(skip_locked=True).values_list("id", flat=True)[: pace.at_once])
        ReceivedText.objects.filter(id__in=ids).delete()
    pace.end(len(ids))
    return len(ids)
