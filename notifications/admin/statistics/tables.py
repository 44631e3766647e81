"""The tables of the page Reports, for the listed services. Source: docs/reference/console.md §3.13.

Months come from the daily counts, which outlive the messages. The other tables read a limited number of messages.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.db.models import F, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from config import formats, utc_days
from config.databases.streaming import streamed
from notifications.admin.messages import status_titles
from notifications.admin.messages.status_titles import GROUPS
from notifications.jobs.counting import PAST_DAYS_EVERY, SETTLES_AFTER
from notifications.models import Channel, DailyCount, KeyType, Notification, Service, Status
from notifications.models.status import FAILURES

MONTHS = 12
DAYS = 7
MOST_READ = 20_000  # messages of a table, newest first: 0.5 s
_READ_AT_ONCE = 500
_MEDIAN, _SLOW = 0.50, 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsTable:
    """A table. Its cells are texts and numbers; numbers are formatted by the page, and are plain in the CSV file."""

    slug: str
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    about: str
    empty: str


def of_services(services: Sequence[Service]) -> list[StatisticsTable]:
    return [messages(services), costs(services), failures(services), times(services)]


def messages(services: Sequence[Service]) -> StatisticsTable:
    """Return the number of messages by month, service, channel and template."""
    found: defaultdict[tuple[object, ...], Counter[str]] = defaultdict(Counter)
    counted = _counts(services).values_list(
        *("month", "service__name", "channel", "template__name", "status"), Sum("n"), named=False
    )
    for month, service, channel, template, status, number in counted:
        group = next((name for name, (_, statuses) in GROUPS.items() if status in statuses), "others")
        found[month, service, Channel(channel).label, template][group] += number
    rows = [
        (_month(key[0]), *key[1:], sum(numbers.values()), *(numbers[name] for name in GROUPS))
        for key, numbers in _newest_first(found.items())
    ]
    return StatisticsTable(
        slug="messages",
        title="Messages by month and template",
        header=(
            *("Month", "Service", "Channel", "Template", "Messages"),
            *(title for title, _ in GROUPS.values()),
        ),
        rows=rows,
        about=f"The last {MONTHS} months, in UTC. Messages of test keys are not counted. Only the column Messages "
        "includes cancelled messages.",
        empty="No messages yet.",
    )


def costs(services: Sequence[Service]) -> StatisticsTable:
    """Return the parts of text messages by month and service, and their cost at today's price."""
    # The parts of a day are counted after it. Both columns end with the same day: 12 messages never cost nothing.
    first_uncounted = utc_days.day_of(timezone.now() - SETTLES_AFTER - PAST_DAYS_EVERY)
    whole_days = _counts(services).filter(channel=Channel.SMS, day__lt=first_uncounted)
    found = whole_days.values_list("month", "service__name", Sum("n"), Sum("units"))
    rows = [
        (_month(month), service, number, units, f"{units * settings.SMS_RATE:.2f}")
        for month, service, number, units in found.order_by("-month", "service__name")
        if number
    ]
    price = f"at £{settings.SMS_RATE} for a part" if settings.SMS_RATE else "0, because SMS_RATE is not set"
    return StatisticsTable(
        slug="costs",
        title="Cost of text messages by month",
        header=("Month", "Service", "Text messages", "Parts charged", "Cost in pounds"),
        rows=rows,
        about="The parts of messages that a provider accepted, times the multiplier of the country. "
        f"The cost is {price}. Today is not included.",
        empty="No text messages yet.",
    )


def failures(services: Sequence[Service], most: int = MOST_READ) -> StatisticsTable:
    """Return the number of failed messages by channel and reason."""
    newest = _newest(services).filter(status__in=FAILURES)[:most]
    counted = Counter(
        (Channel(one.channel).label, status_titles.of(one), one.status)
        for one in streamed(newest, chunk_size=_READ_AT_ONCE)
    )
    return StatisticsTable(
        slug="failures",
        title="Failures by reason",
        header=("Channel", "Reason", "API status", "Messages"),
        rows=[(*key, number) for key, number in counted.most_common()],
        about=f"Messages of the last {DAYS} days that are still stored{_if_limited(counted.total(), most)}.",
        empty=f"No message failed in the last {DAYS} days.",
    )


def times(services: Sequence[Service]) -> StatisticsTable:
    """Return how long deliveries took, by provider: half of them and 95 % of them at most this long."""
    delivered = _newest(services).filter(status=Status.DELIVERED).exclude(provider="")
    rows = delivered.values_list("provider", "channel", F("completed_at") - F("due_at"))[:MOST_READ]
    by_provider: defaultdict[tuple[str, str], list[timedelta]] = defaultdict(list)
    for provider, channel, duration in rows:
        by_provider[provider, Channel(channel).label].append(duration)
    return StatisticsTable(
        slug="times",
        title="Time to deliver by provider",
        header=("Provider", "Channel", "Delivered", "Half within", "95 % within"),
        rows=[
            (*key, len(found), _within(found, _MEDIAN), _within(found, _SLOW))
            for key, found in sorted(by_provider.items())
        ],
        about=f"Messages of the last {DAYS} days that are still stored{_if_limited(len(rows), MOST_READ)}, from the "
        "time when they were due to their delivery.",
        empty=f"No message was delivered in the last {DAYS} days.",
    )


def _counts(services: Sequence[Service]) -> Any:
    """Return the daily counts of the last months with their month."""
    today = utc_days.today()
    first = date(today.year - (today.month < MONTHS), today.month % MONTHS + 1, 1)
    counts = DailyCount.objects.filter(service__in=services, day__gte=first, n__gt=0)
    return counts.order_by().annotate(month=TruncMonth("day")).values("month")


def _newest(services: Sequence[Service]) -> Any:
    since = timezone.now() - timedelta(days=DAYS)
    stored = Notification.objects.filter(service__in=services, created_at__gte=since).exclude(key_type=KeyType.TEST)
    return stored.order_by("-created_at", "-id")


def _within(durations: list[timedelta], share: float) -> str:
    shortest = sorted(durations)
    return formats.duration(shortest[ceil(share * len(shortest)) - 1].total_seconds())


def _month(day: Any) -> str:
    return f"{day:%Y-%m}"


def _newest_first(found: Iterable[Any]) -> list[Any]:
    """Return the newest month first, and the rest in the order of the alphabet."""
    return sorted(found, key=lambda one: (-one[0][0].toordinal(), *map(str, one[0][1:])))


def _if_limited(number: int, most: int) -> str:
    return f", the newest {formats.number(most)} of them" if number == most else ""
