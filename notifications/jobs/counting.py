"""Count the messages of recent days in the background, so that pages and sends do not.

A count covers a whole day of one service, plus the messages that clean-up has deleted and counted. It takes no lock. If
another process counts or deletes rows of the day at the same time, it changes the version of the day, and this count is
dropped. The next call counts again.

Source: docs/reference/console.md §2.1.
"""

from collections import Counter
from datetime import date, datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, QuerySet, Sum
from django.utils import timezone

from config.utc_days import day_of, start_of
from notifications.models.api_key import KeyType
from notifications.models.channel import Channel
from notifications.models.daily_count import CountedDay, DailyCount
from notifications.models.limit import DailyCounter, LimitKind
from notifications.models.notification import Notification
from notifications.models.status import COMPLETED

DAYS_SHOWN = 7
SETTLES_AFTER = timedelta(minutes=10)  # after the end of a day, when all its transactions have ended
PAST_DAYS_EVERY = timedelta(minutes=15)  # while some of their messages have no final status
COUNTED = (KeyType.LIVE, KeyType.TEAM)  # no count includes test messages

_WHAT = ("channel", "template_id", "key_type", "status")
_What = tuple[str, UUID, str, str]  # channel, template, key type, status


def count_recent() -> int:
    """Count the days that may have changed since their last count. Return the number of counted days."""
    return sum(count_day(service_id, day) for service_id, day in _changed(timezone.now()))


def count_day(service_id: UUID, day: date) -> bool:
    """Count one day of one service. Return whether the result was stored."""
    counted_at = timezone.now()
    row, _ = CountedDay.objects.get_or_create(service_id=service_id, day=day)
    living = _living(service_id, day)
    is_over = counted_at > start_of(day + timedelta(days=1)) + SETTLES_AFTER
    is_settled = is_over and all(status in COMPLETED for *_, status in living)
    same = CountedDay.objects.filter(pk=row.pk, version=row.version)
    with transaction.atomic():
        if not same.update(counted_at=counted_at, is_settled=is_settled, version=F("version") + 1):
            return False
        _write(service_id, day, living, _units(service_id, day) if is_over else None)
    return True


def _changed(now: datetime) -> list[tuple[UUID, date]]:
    today = day_of(now)
    first = today - timedelta(days=DAYS_SHOWN)
    accepted = DailyCounter.objects.filter(day__gte=first, count__gt=0).exclude(kind=LimitKind.INTERNATIONAL_SMS)
    pairs = set(accepted.values_list("service_id", "day"))
    for row in CountedDay.objects.filter(day__gte=first):
        is_due = row.counted_at is None or row.day == today or row.counted_at < now - PAST_DAYS_EVERY
        if row.is_settled or not is_due:
            pairs.discard((row.service_id, row.day))
    touched = CountedDay.objects.filter(is_settled=False, counted_at=None)
    return sorted(pairs | set(touched.values_list("service_id", "day")))


def _living(service_id: UUID, day: date) -> Counter[_What]:
    grouped = _of_day(service_id, day).values_list(*_WHAT).annotate(Count("pk"))
    return Counter({tuple(what): n for *what, n in grouped})


def _units(service_id: UUID, day: date) -> Counter[_What]:
    """Sum the charged parts of text messages. This reads their rows, which the index of the other count does not."""
    charged = _of_day(service_id, day).filter(channel=Channel.SMS, sent_at__isnull=False)
    grouped = charged.values_list(*_WHAT).annotate(units=Sum(F("parts") * F("rate_multiplier")))
    return Counter({tuple(what): units for *what, units in grouped})


def _of_day(service_id: UUID, day: date) -> QuerySet[Notification]:
    ends = start_of(day + timedelta(days=1))
    mine = Notification.objects.filter(service_id=service_id, key_type__in=COUNTED)
    return mine.filter(created_at__gte=start_of(day), created_at__lt=ends).order_by()


def _write(service_id: UUID, day: date, living: Counter[_What], units: Counter[_What] | None) -> None:
    """Store the sums of existing and deleted messages. The new version of the day excludes other writers.

    units: None while the day is not over
    """
    stored = {
        (row.channel, row.template_id, row.key_type, row.status): row
        for row in DailyCount.objects.filter(service_id=service_id, day=day)
    }
    changed = []
    for what, row in stored.items():
        n = row.deleted + living[what]
        charged = row.units if units is None else row.deleted_units + units[what]
        if (row.n, row.units) != (n, charged):
            row.n, row.units = n, charged
            changed.append(row)
    DailyCount.objects.bulk_update(changed, ["n", "units"])
    DailyCount.objects.bulk_create(
        DailyCount(
            service_id=service_id,
            day=day,
            channel=channel,
            template_id=template_id,
            key_type=key_type,
            status=status,
            n=n,
            units=units[channel, template_id, key_type, status] if units else 0,
        )
        for (channel, template_id, key_type, status), n in living.items()
        if (channel, template_id, key_type, status) not in stored
    )
