"""The tables of the page Reports, for the listed services. Source: docs/reference/console.md §3.13.

They come from the statistics, which outlive the messages.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Sum

from config import formats, utc_days
from notifications.admin.messages import filters
from notifications.admin.messages.status_titles import GROUPS
from notifications.jobs import sums
from notifications.jobs.durations import MEDIAN, SLOW, within
from notifications.models import CallKind, Channel, HourlyCalls, Service, Template
from notifications.models.failure_reason import FailureReason

MONTH = "Month"
COST = "Cost in pounds"
MONTHS = 12
DAYS = 7
_UNKNOWN = "Not recorded"
_Counted = Mapping[tuple[Any, ...], int]  # month, service, channel, template and status → number of messages


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsTable:
    """A table. Its cells are texts and numbers; the page formats numbers and months, the CSV file has them plain.

    number_columns: how many of the last columns have numbers
    summary: a sentence above the table; urls: of the messages that the last cell of each row counts, or empty
    """

    slug: str
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    about: str
    empty: str
    number_columns: int
    summary: str = ""
    urls: Sequence[str] = ()


def of_services(services: Sequence[Service]) -> list[StatisticsTable]:
    by = ("month", "service_id", "channel", "template_id", "status")
    counted = sums.messages(by, first=_first_month(), services=services)
    return [messages(services, counted), costs(services, counted), failures(services), times(services), calls(services)]


def messages(services: Sequence[Service], counted: _Counted) -> StatisticsTable:
    """Return the number of messages by month, service, channel and template."""
    found: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    of_service = {service.pk: service.name for service in services}
    of_template = dict(Template.objects.filter(pk__in={key[3] for key in counted}).values_list("pk", "name"))
    for (month, service_id, channel, template_id, status), number in counted.items():
        group = next((name for name, (_, statuses) in GROUPS.items() if status in statuses), "others")
        key = (month, of_service[service_id], Channel(channel).label, of_template.get(template_id, ""))
        found[key][group] += number
    rows = [
        (*key, sum(numbers.values()), *(numbers[name] for name in GROUPS))
        for key, numbers in _newest_first(found.items())
    ]
    totals: Counter[str] = Counter()
    for key, number in counted.items():
        totals[key[0]] += number
    return StatisticsTable(
        slug="messages",
        title="Messages by month and template",
        header=(
            *(MONTH, "Service", "Channel", "Template", "Messages"),
            *(title for title, _ in GROUPS.values()),
        ),
        number_columns=4,
        rows=rows,
        summary=_so_far(totals, lambda number: formats.counted(number, "message")),
        about=f"The last {MONTHS} months, in UTC. Messages of test keys are not counted. Only the column Messages "
        "includes cancelled messages.",
        empty="No messages yet.",
    )


def costs(services: Sequence[Service], counted: _Counted) -> StatisticsTable:
    """Return the parts of text messages by month and service, and their cost at today's price."""
    by, of_service = ("month", "service_id"), {service.pk: service.name for service in services}
    numbers: Counter[tuple[str, UUID]] = Counter()
    for (month, service_id, channel, _, _), number in counted.items():
        numbers[month, service_id] += number if channel == Channel.SMS else 0
    units = sums.messages(by, first=_first_month(), services=services, value="units", channel=Channel.SMS)
    found = {(month, of_service[pk]): (number, units[month, pk]) for (month, pk), number in numbers.items() if number}
    totals: Counter[str] = Counter()
    for (month, _), number in units.items():
        totals[month] += number
    price = f"at £{settings.SMS_RATE} for a part" if settings.SMS_RATE else "0, because SMS_RATE is not set"
    return StatisticsTable(
        slug="costs",
        title="Cost of text messages by month",
        header=(MONTH, "Service", "Text messages", "Parts charged", COST),
        number_columns=3,
        rows=[
            (*key, n, parts, str(round(parts * settings.SMS_RATE, 2)))
            for key, (n, parts) in _newest_first(found.items())
        ],
        summary=_so_far(totals, lambda parts: formats.money(parts * settings.SMS_RATE)) if settings.SMS_RATE else "",
        about="The parts of messages that a provider accepted, times the multiplier of the country. "
        f"The cost is {price}.",
        empty="No text messages yet.",
    )


def failures(services: Sequence[Service]) -> StatisticsTable:
    """Return the number of failed messages by channel and reason."""
    today = utc_days.today()
    first = today - timedelta(days=DAYS)
    counted = sums.reasons(first=first, services=services)
    ordered = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    return StatisticsTable(
        slug="failures",
        title="Failures by reason",
        header=("Channel", "Reason", "API status", "Messages"),
        number_columns=1,
        rows=[
            (Channel(channel).label, FailureReason(reason).label if reason else _UNKNOWN, status, number)
            for (channel, reason, status), number in ordered
        ],
        urls=[filters.log_url(Channel(key[0]), first, today, status=key[2]) for key, _ in ordered],
        about=f"Messages of today and the {DAYS} UTC days before. They are counted every minute.",
        empty=f"No message failed in the last {DAYS} days.",
    )


def times(services: Sequence[Service]) -> StatisticsTable:
    """Return how long deliveries took, by provider: half of them and 95% of them at most this long."""
    found = sums.times(first=utc_days.today() - timedelta(days=DAYS), services=services)
    return StatisticsTable(
        slug="times",
        title="Time to deliver by provider",
        header=("Provider", "Channel", "Delivered", "Half within", "95% within"),
        number_columns=3,
        rows=[
            (
                provider,
                Channel(channel).label,
                some.total(),
                *(formats.duration(within(some, share) or 0) for share in (MEDIAN, SLOW)),
            )
            for (provider, channel), some in sorted(found.items())
        ],
        about=f"Messages of today and the {DAYS} UTC days before, from the time when they were due to their delivery. "
        "Durations above 10 seconds are rounded to two digits.",
        empty=f"No message was delivered in the last {DAYS} days.",
    )


def calls(services: Sequence[Service]) -> StatisticsTable:
    """Return the number of API requests and of attempts of callbacks by key type or event, and by result."""
    since = utc_days.start_of(utc_days.today() - timedelta(days=DAYS))
    found = HourlyCalls.objects.filter(service__in=services, at__gte=since, n__gt=0).order_by()
    counted = found.values_list("kind", "name", "result").annotate(Sum("n"))
    return StatisticsTable(
        slug="calls",
        title="Requests and callbacks",
        header=("Kind", "Key type or event", "Result", "Number"),
        number_columns=1,
        rows=[
            (CallKind(kind).label, name, result.replace("-", " ").capitalize(), number)
            for kind, name, result, number in sorted(counted, key=lambda one: (one[0], one[1], -one[3]))
        ],
        about=f"Requests with a valid key, and attempts of callbacks, of today and the {DAYS} UTC days before.",
        empty=f"No requests and no callbacks in the last {DAYS} days.",
    )


def _so_far(totals: Counter[str], shown: Callable[[int], str]) -> str:
    """Return a sentence on this month and the last one, or an empty text if both have nothing."""
    today = utc_days.today()
    this, last = f"{today:%Y-%m}", f"{today.replace(day=1) - timedelta(days=1):%Y-%m}"
    if not totals[this] and not totals[last]:
        return ""
    return f"{formats.month(this)} so far: {shown(totals[this])}. {formats.month(last)}: {shown(totals[last])}."


def _first_month() -> date:
    """Return the first day of the oldest month."""
    today = utc_days.today()
    return date(today.year - (today.month < MONTHS), today.month % MONTHS + 1, 1)


def _newest_first(found: Iterable[Any]) -> list[Any]:
    """Return the newest month first, and the rest in the order of the alphabet."""
    return sorted(sorted(found, key=lambda one: one[0][1:]), key=lambda one: one[0][0], reverse=True)
