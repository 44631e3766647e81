"""Scheduled messages: move or cancel one before its time. Source: docs/reference/sending-api.md §16."""

from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.db import transaction
from django.utils import timezone

from config.metrics import registry
from config.utc_days import day_of
from notifications import errors, tasks
from notifications.delivery import quiet_hours, repeats
from notifications.models import ApiKey, Channel, DailyCounter, KeyType, Notification, Status
from notifications.submission import policy

log = structlog.get_logger()


FARTHEST = timedelta(hours=24)  # from now until the latest time that a message may be scheduled for


def check_time(moment: datetime) -> None:
    """Raise ScheduledForPast or ScheduledForTooFar if a message cannot be scheduled for this time."""
    now = timezone.now()
    if moment < now:
        raise errors.ScheduledForPast
    if moment > now + FARTHEST:
        raise errors.ScheduledForTooFar


def find(api_key: ApiKey, notification_id: UUID) -> Notification:
    """Return a message that was sent with a key of the same type. Raises NoResultFound."""
    own = Notification.objects.filter(service=api_key.service_id, key_type=api_key.key_type)
    own = own.select_related("service", "template")
    message = own.filter(id=notification_id, created_at__gte=api_key.service.kept_since()).first()
    if message is None:
        raise errors.NoResultFound
    return message


def move(message: Notification, scheduled_for: datetime | None) -> None:
    """Give a scheduled message another time. None: now. Quiet hours apply to both. Raises NotScheduled."""
    quiet_until = quiet_hours.end_for(message, scheduled_for or timezone.now())
    with transaction.atomic():
        if not Notification.objects.filter(id=message.id).move(scheduled_for, quiet_until=quiet_until):
            raise errors.NotScheduled
        if scheduled_for is None and quiet_until is None:
            tasks.wake(Channel(message.channel))
    log.info("notification.moved", notification_id=str(message.id), is_now=scheduled_for is None)


def cancel(message: Notification) -> None:
    """Cancel a scheduled message. A cancelled message stays as it is. Raises NotScheduled."""
    now = timezone.now()
    with transaction.atomic():
        own = Notification.objects.filter(id=message.id)
        if not own.scheduled().advance(Status.CANCELLED, now):
            if own.filter(status=Status.CANCELLED).exists():
                return
            raise errors.NotScheduled
        after_cancelling(message, now)
    log.info("notification.cancelled", notification_id=str(message.id))


def after_cancelling(message: Notification, now: datetime) -> None:
    """Take a message that is cancelled out of the counters and of the repeat guard, in the same transaction."""
    if message.key_type != KeyType.TEST and day_of(message.created_at) == day_of(now):
        DailyCounter.objects.return_one(message.service_id, day_of(now), policy.counted_for(message))
    repeats.forget(message)
    transaction.on_commit(lambda: registry.MESSAGES.add(message.channel, message.key_type, Status.CANCELLED))
