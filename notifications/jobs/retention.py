"""Delete old messages, received texts and received emails in batches, each in its own transaction.

The statistics of live and team messages remain. Messages that wait to be sent are not deleted before their give-up
time. Two runs at the same time are safe: each batch is one transaction, and a run skips rows that another run
has locked. Source: docs/reference/sending-api.md §21.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from config.jobs.pace import FEWEST_OLD_ROWS, OLD_ROWS_SECONDS, Pace
from notifications.jobs import counting, durations
from notifications.models.api_key import KeyType
from notifications.models.failure_reason import reason_of
from notifications.models.hourly_count import CountedDay, CountKey, HourlyCount, MessageSums
from notifications.models.notification import Notification
from notifications.models.received_email import ReceivedEmail
from notifications.models.received_text import ReceivedText
from notifications.models.service import Service
from notifications.models.status import Status


def due_messages(*services: Service) -> list[QuerySet[Notification]]:
    """Return the expired messages of services of equal retention, by key type, to match the index."""
    old = Notification.objects.filter(service__in=services, created_at__lt=services[0].kept_since())
    kept = old.exclude(status=Status.CREATED)
    return [kept.filter(key_type=key_type).order_by("created_at", "id") for key_type in KeyType]


def due_received(*services: Service) -> list[QuerySet[Any]]:
    """Return the expired texts and emails that services of equal retention received."""
    old = {"service__in": services, "created_at__lt": services[0].kept_since()}
    return [
        model._default_manager.filter(**old).order_by("created_at", "id") for model in (ReceivedText, ReceivedEmail)
    ]


def with_equal(field: str, services: Iterable[Service]) -> list[list[Service]]:
    """Return the services in groups whose values of this field are equal."""
    groups: defaultdict[object, list[Service]] = defaultdict(list)
    for service in services:
        groups[getattr(service, field)].append(service)
    return list(groups.values())


def purge() -> Iterator[tuple[Service, int]]:
    """Delete the messages, received texts and received emails that have exceeded the retention of their service.

    Yield the service and the number of deleted rows after each batch.
    """
    pace = Pace(OLD_ROWS_SECONDS[connection.vendor], fewest=FEWEST_OLD_ROWS)
    for service in Service.objects.order_by("id"):
        for messages in due_messages(service):
            while count := _remove_messages(messages, pace):
                yield service, count
        for received in due_received(service):
            while count := _remove_received(received, pace):
                yield service, count


def _remove_messages(messages: QuerySet[Notification], pace: Pace) -> int:
    pace.begin()
    with transaction.atomic():
        count = _remove_batch(messages, pace.at_once)
    pace.end(count)
    return count


def _remove_batch(messages: QuerySet[Notification], most: int) -> int:
    columns = (
        *("id", "service_id", "created_at", "channel", "template_id", "key_type", "status", "provider"),
        *("due_at", "sent_at", "completed_at", "parts", "rate_multiplier", "attempts", "receipts"),
    )
    batch = list(messages.select_for_update(skip_locked=True, of=("self",)).only(*columns)[:most])
    counted: defaultdict[CountKey, MessageSums] = defaultdict(MessageSums)
    for message in batch:
        if message.key_type != KeyType.TEST:
            _add(counted[counting.key_of(message)], message)
    # Update days before counts, both in order. Otherwise two runs, or a run and a count, could deadlock.
    for day in sorted({key.day for key in counted}):
        CountedDay.objects.touch(batch[0].service_id, day)
    if counted:
        HourlyCount.objects.add_deleted(batch[0].service_id, counted)
    Notification.objects.filter(id__in=[message.id for message in batch]).delete()
    return len(batch)


def _add(found: MessageSums, message: Notification) -> None:
    found.n += 1
    found.units += message.parts * message.rate_multiplier if message.sent_at else 0
    if (time := durations.of(message)) is not None:
        found.times[str(time)] += 1
    if reason := reason_of(message):
        found.reasons[reason] += 1


def _remove_received(rows: QuerySet[Any], pace: Pace) -> int:  # Any: texts or emails
    pace.begin()
    with transaction.atomic():
        ids = list(rows.select_for_update(skip_locked=True).values_list("id", flat=True)[: pace.at_once])
        rows.model._default_manager.filter(id__in=ids).delete()
    pace.end(len(ids))
    return len(ids)
