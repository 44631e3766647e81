"""Count the messages of recent days in the background, so that pages and sends do not.

A count covers a whole day of one service, plus the messages that clean-up has deleted and counted. It first counts the
messages by an index, and then reads the rows of the hours whose counts changed. It takes no lock. If another process
counts or deletes rows of the day at the same time, it changes the version of the day, and this count is dropped. The
next call counts again.

Source: docs/reference/statistics.md §2.
"""

from collections import Counter
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Sum, When
from django.utils import timezone

from config.databases.streaming import streamed
from config.queue import presence
from config.utc_days import day_of, start_of
from notifications.jobs.durations import RoundedDuration
from notifications.jobs.utc_sql import UtcHour
from notifications.models.api_key import KeyType
from notifications.models.failure_reason import reason_of
from notifications.models.hourly_count import CountedDay, CountKey, HourlyCount, MessageSums
from notifications.models.notification import Notification
from notifications.models.service import Service
from notifications.models.status import COMPLETED, FAILURES, Status

DAYS_SHOWN = 7
SETTLES_AFTER = timedelta(minutes=10)  # after the end of a day, when all its transactions have ended
PAST_DAYS_EVERY = timedelta(minutes=15)  # while some of their messages have no final status
COUNTED = (KeyType.LIVE, KeyType.TEAM)  # no count includes test messages
RUNS = "message counts"  # the name under which the database keeps the time of the last run

_WHAT = ("hour", "channel", "template_id", "key_type", "status", "provider")
_READ_OF_FAILED = ("id", "created_at", *_WHAT[1:], "attempts", "receipts")
_AT_ONCE = 1000

IS_DELIVERED_BY_A_PROVIDER = Q(status=Status.DELIVERED, completed_at__isnull=False) & ~Q(provider="")
TIME = Case(When(IS_DELIVERED_BY_A_PROVIDER, then=RoundedDuration(F("completed_at"), F("due_at"))))
UNITS = Sum(F("parts") * F("rate_multiplier"), filter=Q(sent_at__isnull=False), default=0)  # emails have no parts


def count_recent() -> int:
    """Count the days that may have changed since their last count. Return the number of counted days."""
    number = sum(count_day(service_id, day) for service_id, day in _changed(timezone.now()))
    presence.note(RUNS, "worker")
    return number


def last_run() -> datetime | None:
    """Return when `count_recent` last ended."""
    return presence.Presence.objects.filter(name=RUNS).values_list("seen_at", flat=True).first()


def count_day(service_id: UUID, day: date) -> bool:
    """Count one day of one service. Return whether the result was stored."""
    counted_at = timezone.now()
    row, _ = CountedDay.objects.get_or_create(service_id=service_id, day=day)
    stored = {one.key: one for one in HourlyCount.objects.filter(service_id=service_id, day=day)}
    living = _living(service_id, day)
    hours = {
        key.hour
        for key in stored.keys() | living.keys()
        if key not in stored or living[key] != stored[key].n - stored[key].deleted or _lacks_reasons(stored[key])
    }
    counted = _counted(service_id, day, hours)
    is_over = counted_at > start_of(day + timedelta(days=1)) + SETTLES_AFTER
    is_settled = is_over and all(key.status in COMPLETED for key in (*living, *counted))
    same = CountedDay.objects.filter(pk=row.pk, version=row.version)
    with transaction.atomic():
        if not same.update(counted_at=counted_at, is_settled=is_settled, version=F("version") + 1):
            return False
        _write(service_id, day, hours, counted)
    return True


def _changed(now: datetime) -> list[tuple[UUID, date]]:
    """Return the services and days to count: those with messages, until they are settled."""
    today = day_of(now)
    run = last_run()
    first = min(today - timedelta(days=DAYS_SHOWN), day_of(run) if run else today)
    pairs = {
        (service_id, first + timedelta(days=days))
        for days in range((today - first).days + 1)
        for service_id in _with_messages(first + timedelta(days=days))
    }
    for row in CountedDay.objects.filter(day__gte=first):
        is_fresh = row.counted_at is not None and row.counted_at > start_of(row.day + timedelta(days=1)) + SETTLES_AFTER
        is_due = row.counted_at is None or not is_fresh or row.counted_at < now - PAST_DAYS_EVERY
        if row.is_settled or not is_due:
            pairs.discard((row.service_id, row.day))
    unsettled = CountedDay.objects.filter(is_settled=False, day__lt=first)
    due = unsettled.filter(Q(counted_at=None) | Q(counted_at__lt=now - PAST_DAYS_EVERY))
    touched = CountedDay.objects.filter(is_settled=False, counted_at=None)
    return sorted(pairs | set((due | touched).values_list("service_id", "day")))


def _with_messages(day: date) -> QuerySet[Service, UUID]:
    mine = of_hours(day).filter(service=OuterRef("pk"))
    return Service.objects.filter(Exists(mine)).order_by().values_list("pk", flat=True)


def of_hours(day: date, hours: Collection[int] = range(24)) -> QuerySet[Notification]:
    """Return the counted messages between the first and the last of these hours of a day."""
    begins = start_of(day)
    return Notification.objects.filter(
        key_type__in=COUNTED,
        created_at__gte=begins + timedelta(hours=min(hours)),
        created_at__lt=begins + timedelta(hours=max(hours) + 1),
    ).order_by()


def _living(service_id: UUID, day: date) -> Counter[CountKey]:
    mine = of_hours(day).filter(service_id=service_id)
    grouped = mine.annotate(hour=UtcHour("created_at")).values_list(*_WHAT).annotate(Count("pk"))
    return Counter({CountKey(day, *what): n for *what, n in grouped})


def _counted(service_id: UUID, day: date, hours: Collection[int]) -> dict[CountKey, MessageSums]:
    """Count all of some hours. This reads the rows of messages, which the index of the other count does not."""
    found: dict[CountKey, MessageSums] = {}
    if not hours:
        return found
    mine = of_hours(day, hours).filter(service_id=service_id).annotate(hour=UtcHour("created_at"), time=TIME)
    grouped = mine.filter(hour__in=hours).values_list(*_WHAT, "time").annotate(number=Count("pk"), units=UNITS)
    for *what, time, n, units in grouped:
        one = found.setdefault(CountKey(day, *what), MessageSums())
        one.n += n
        one.units += units
        if time is not None:
            one.times[str(time)] += n
    failed = mine.filter(hour__in=hours, status__in=FAILURES).only(*_READ_OF_FAILED)
    for message in streamed(failed, chunk_size=_AT_ONCE):
        if reason := reason_of(message):
            found.setdefault(key_of(message), MessageSums()).reasons[reason] += 1
    return found


def key_of(message: Notification) -> CountKey:
    """Return the columns of the count that a message belongs to."""
    at = message.created_at.astimezone(UTC)
    what = (message.channel, message.template_id, message.key_type, message.status, message.provider)
    return CountKey(at.date(), at.hour, *what)


def _lacks_reasons(row: HourlyCount) -> bool:
    """Return whether failed messages changed between the two queries of the last count."""
    return row.status in FAILURES and sum(row.reasons.values()) != row.n


def _write(service_id: UUID, day: date, hours: Collection[int], counted: dict[CountKey, MessageSums]) -> None:
    """Store the sums of existing and deleted messages. The new version of the day excludes other writers."""
    stored = {row.key: row for row in HourlyCount.objects.filter(service_id=service_id, day=day, hour__in=hours)}
    changed = []
    for key, row in stored.items():
        found = counted.get(key, MessageSums())
        times = dict(Counter(row.deleted_times) + found.times)
        reasons = dict(Counter(row.deleted_reasons) + found.reasons)
        now = (row.deleted + found.n, row.deleted_units + found.units, times, reasons)
        if (row.n, row.units, row.times, row.reasons) != now:
            row.n, row.units, row.times, row.reasons = now
            row.version += 1
            changed.append(row)
    HourlyCount.objects.bulk_update(changed, ["n", "units", "times", "reasons", "version"], batch_size=500)
    HourlyCount.objects.bulk_create(
        HourlyCount(
            service_id=service_id,
            n=found.n,
            units=found.units,
            times=dict(found.times),
            reasons=dict(found.reasons),
            **key._asdict(),
        )
        for key, found in counted.items()
        if key not in stored and found.n
    )
