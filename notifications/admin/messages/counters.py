"""The four counters above the log: counted exactly for few messages, else summed from the statistics.

The clock updates the statistics once a minute, so a page never counts millions of messages (trap T5).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta

from django.db.models import F, Q, QuerySet, Sum

from config.console.admin.change_list import MAX_COUNTED
from notifications.admin.messages import days, filters, status_titles
from notifications.models import HourlyCount, KeyType, Notification, Service, Status

# Filters that the statistics support: URL parameter → column.
_COUNTED_BY = {"channel__exact": "channel", "template__id__exact": "template", "provider": "provider"}
_OTHERS = frozenset({"status", "key_type", days.PARAMETER, "older", "newer", "p"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCounts:
    """Numbers of messages by status.

    is_exact: whether all messages are counted now, not those of the last minute
    is_capped: whether there are more messages than counted
    """

    found: Counter[str]
    is_exact: bool = True
    is_capped: bool = False

    def have_none_of(self, statuses: Iterable[str]) -> bool:
        return self.is_exact and not any(self.found[status] for status in statuses)

    def groups(self) -> dict[str, int]:
        """Return the number of each status group. The name "" means all."""
        groups = {"": frozenset(Status), **{name: statuses for name, (_, statuses) in status_titles.GROUPS.items()}}
        numbers = {name: sum(self.found[status] for status in statuses) for name, statuses in groups.items()}
        return {name: min(number, MAX_COUNTED) if self.is_capped else number for name, number in numbers.items()}


def count(rows: QuerySet[Notification], parameters: Mapping[str, str], services: Sequence[Service]) -> StatusCounts:
    """Count the messages by status.

    rows: the rows of the list within all filters but the status
    parameters: the filters
    services: the services that the list shows; empty for the result of a search
    """
    if services:
        rows = rows.filter(service__in=services)  # for the index of the log, which begins with the service
    found = Counter(rows.order_by().values_list("status", flat=True)[: MAX_COUNTED + 1])
    if found.total() <= MAX_COUNTED:
        return StatusCounts(found=found)
    summed = _of_hours(parameters, services)
    return StatusCounts(found=found if summed is None else summed, is_exact=False, is_capped=summed is None)


def _of_hours(parameters: Mapping[str, str], services: Sequence[Service]) -> Counter[str] | None:
    """Return the sums of the statistics by status, or None if they do not support a filter in use."""
    key_types = filters.key_types(parameters)
    columns = {_COUNTED_BY[name]: value for name, value in parameters.items() if value and name in _COUNTED_BY}
    if not services or KeyType.TEST in key_types or parameters.keys() - _COUNTED_BY.keys() - _OTHERS:
        return None
    kept = Q(pk__in=[])
    for service in services:
        kept |= Q(service=service, day__gte=service.kept_since().date())
    first, last = days.chosen(parameters.get(days.PARAMETER, ""))
    if first:
        kept &= _from(first)
    if last:
        kept &= ~_from(last + timedelta(days=1))
    counted = HourlyCount.objects.filter(kept, key_type__in=key_types, **columns)
    sums = counted.order_by().values_list("status").annotate(number=Sum(F("n") - F("deleted")))
    return Counter(dict(sums))


def _from(day: date) -> Q:
    """Match the hours from the beginning of a local day on. In some time zones, it begins within a UTC hour."""
    at = days.beginning(day).astimezone(UTC)
    return Q(day__gt=at.date()) | Q(day=at.date(), hour__gte=at.hour)
