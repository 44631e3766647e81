"""Take messages of a bulk send out of the daily counters again. Source: docs/reference/bulk-sending.md §3."""

from django.utils import timezone

from config.utc_days import day_of
from notifications.models import BulkSend, Channel, DailyCounter, KeyType, LimitKind


def give_back(bulk_send: BulkSend, count: int, international: int) -> None:
    """Count so many messages less, if they were counted today.

    international: how many of them count towards the limit of international texts, too
    """
    now = timezone.now()
    day, accepted_at = day_of(now), bulk_send.accepted_at or now
    if bulk_send.key_type == KeyType.TEST or day_of(accepted_at) != day:
        return
    DailyCounter.objects.give_back(bulk_send.service_id, day, LimitKind(bulk_send.channel), count)
    if bulk_send.channel == Channel.SMS:
        DailyCounter.objects.give_back(bulk_send.service_id, day, LimitKind.INTERNATIONAL_SMS, international)
