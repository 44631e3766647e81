"""Who waits for whom: the messages of one channel whose time has come and that no worker holds, hinted at or not."""

from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from notifications.models.notification import Channel, Notification
from notifications.models.service import Service
from notifications.models.status import Status


def services(channel: Channel) -> set[UUID]:
    """Return the services of which one waits."""
    waiting = Service.objects.filter(Exists(_takeable(channel).filter(service=OuterRef("pk"))))
    return set(waiting.order_by().values_list("id", flat=True))


def oldest(service_id: UUID, channel: Channel, limit: int) -> list[UUID]:
    """Return those of a service that have waited longest."""
    mine = _takeable(channel).filter(service_id=service_id)
    return list(mine.order_by("next_attempt_at").values_list("id", flat=True)[:limit])


def _takeable(channel: Channel) -> QuerySet[Notification]:
    is_free = Q(claimed_until=None) | Q(claimed_until__lt=Now())
    return Notification.objects.filter(is_free, status=Status.CREATED, channel=channel, next_attempt_at__lte=Now())
