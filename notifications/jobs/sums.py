"""Read the statistics of messages. Pages take their figures from here.

Messages of hours that ended before the last run of the clock come from the counts. The messages of later hours are
counted now, so a figure includes every accepted message, also while the clock stands still. The status of a message of
an earlier hour is at most as old as the last run. Source: docs/reference/statistics.md §3.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from config.utc_days import day_of, start_of
from notifications.jobs import counting
from notifications.jobs.utc_sql import UtcMonth
from notifications.models.hourly_count import HourlyCount
from notifications.models.notification import Notification
from notifications.models.service import Service
from notifications.models.status import FAILURES, Status

_COUNTED_NOW_AT_MOST = timedelta(hours=24)  # else each page would count the messages of all days without a clock
_ALL = {"n": "n", "units": "units", "times": "times"}
_DELETED = {"n": "deleted", "units": "deleted_units", "times": "deleted_times"}

Key = tuple[Any, ...]  # Any: values of the columns
Services = Sequence[Service] | Sequence[UUID] | None


def messages(
    by: Sequence[str],
    *,
    first: date,
    services: Services = None,
    value: Literal["n", "units"] = "n",
    **only: Any,  # Any: conditions on columns that messages have, too
) -> Counter[Key]:
    """Return the number of messages, or of charged parts, by the values of some columns. Sums of 0 are left out.

    by: service_id, channel, template_id, key_type, status, provider, day, month (such as `2026-07`)
    first: the first UTC day
    services: None for all
    """
    begins = _first_counted_now()
    found: Counter[Key] = Counter()
    for rows, columns in _counts(first, begins, services):
        dated = rows.annotate(month=UtcMonth("day")) if "month" in by else rows
        for *key, number in dated.filter(**only).order_by().values_list(*by).annotate(Sum(columns[value])):
            found[tuple(key)] += number
    for day, messages in _messages(first, begins, services):
        of_day = {"day": day, "month": f"{day:%Y-%m}"}
        names = [name for name in by if name not in of_day] or ["channel"]
        number = Count("pk") if value == "n" else counting.UNITS
        for *values, n in messages.filter(**only).values_list(*names).annotate(number=number):
            row = dict(zip(names, values, strict=True)) | of_day
            found[tuple(row[name] for name in by)] += n
    return +found


def times(*, first: date, services: Sequence[Service]) -> dict[tuple[str, str], Counter[int]]:
    """Return the rounded durations of deliveries, in tenths of a second, by provider and channel.

    They are those of messages that were accepted since the start of the UTC day `first`.
    """
    begins = _first_counted_now()
    found: dict[tuple[str, str], Counter[int]] = {}
    for rows, columns in _counts(first, begins, services):
        has_times = rows.exclude(provider="").filter(status=Status.DELIVERED)
        for provider, channel, some in has_times.values_list("provider", "channel", columns["times"]):
            found.setdefault((provider, channel), Counter()).update({int(time): n for time, n in some.items()})
    for _, messages in _messages(first, begins, services):
        delivered = messages.filter(counting.IS_DELIVERED_BY_A_PROVIDER).annotate(time=counting.TIME)
        grouped = delivered.values_list("provider", "channel", "time").annotate(number=Count("pk"))
        for provider, channel, time, n in grouped:
            found.setdefault((provider, channel), Counter())[time] += n
    return {key: +numbers for key, numbers in found.items() if numbers.total()}


def reasons(*, first: date, services: Sequence[Service]) -> Counter[tuple[str, str, str]]:
    """Return the failed messages by channel, FailureReason and status, up to the last run.

    The reason is blank for messages that were deleted before version 1.2 counted reasons.
    """
    found: Counter[tuple[str, str, str]] = Counter()
    failed = HourlyCount.objects.filter(day__gte=first, service__in=services, status__in=FAILURES)
    for channel, status, n, some in failed.values_list("channel", "status", "n", "reasons"):
        found[channel, "", status] += n - sum(some.values())
        for reason, number in some.items():
            found[channel, reason, status] += number
    return +found


def _first_counted_now() -> datetime | None:
    """Return the start of the first hour whose messages are counted now; None before the first run of the clock."""
    run = counting.last_run()
    if run is None:
        return None
    begins = max(run - counting.SETTLES_AFTER, timezone.now() - _COUNTED_NOW_AT_MOST)
    return begins.replace(minute=0, second=0, microsecond=0)


def _counts(
    first: date, begins: datetime | None, services: Services
) -> Iterator[tuple[QuerySet[HourlyCount], Mapping[str, str]]]:
    """Yield the counts of early hours, and the counts of deleted messages of the others, with their columns."""
    rows = HourlyCount.objects.filter(day__gte=first)
    if services is not None:
        rows = rows.filter(service__in=services)
    if begins is None:
        yield rows, _ALL
        return
    day = day_of(begins)
    is_later = Q(day__gt=day) | Q(day=day, hour__gte=begins.hour)
    yield rows.filter(day__lte=day).exclude(is_later), _ALL
    yield rows.filter(is_later, day__gte=day, deleted__gt=0), _DELETED


def _messages(
    first: date, begins: datetime | None, services: Services
) -> Iterator[tuple[date, QuerySet[Notification]]]:
    """Yield the messages to count now by UTC day. Without the ids of services, no index would find them."""
    if begins is None:
        return
    begins = max(begins, start_of(first))
    if services is None:
        services = list(Service.objects.order_by().values_list("pk", flat=True))
    for days in range((day_of(timezone.now()) - day_of(begins)).days + 1):
        day = day_of(begins) + timedelta(days=days)
        yield day, counting.of_hours(day).filter(service__in=services, created_at__gte=begins)
