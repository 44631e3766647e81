"""The four counters above the log: counted exactly for few messages, else summed from the statistics.

The clock updates the statistics once a minute, so a page never counts millions of messages (trap T5).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.db.models import F, Q, QuerySet, Sum

from config.console.admin.change_list import MAX_COUNTED
from notifications.admin.messages import filters, status_titles
from notifications.models import HourlyCount, KeyType, Notification, Service, Status

# Filters that the statistics support: URL parameter → column.
_COUNTED_BY = {"channel__exact": "channel", "template__id__exact": "template"}
_OTHERS = frozenset({filters.StatusFilter.parameter_name, filters.KeyTypeFilter.parameter_name, "older", "newer", "p"})


def numbers(
    rows: QuerySet[Notification], parameters: Mapping[str, str], services: Sequence[Service]
) -> dict[str, tuple[int, bool]]:
    """Return for each status group its number of messages and whether it is capped. The name "" means all.

    rows: the rows of the list within all filters but the status
    parameters: the filters
    services: the services that the list shows; empty for the result of a search
    """
    groups = {"": frozenset(Status), **{name: statuses for name, (_, statuses) in status_titles.GROUPS.items()}}
    found = Counter(rows.order_by().values_list("status", flat=True)[: MAX_COUNTED + 1])
    if found.total() > MAX_COUNTED:
        found_by_day = _of_days(parameters, services)
        if found_by_day is None:
            return {name: _capped(rows, statuses) for name, statuses in groups.items()}
        found = found_by_day
    return {name: (sum(found[status] for status in statuses), False) for name, statuses in groups.items()}


def _of_days(parameters: Mapping[str, str], services: Sequence[Service]) -> Counter[str] | None:
    """Return the sums of the statistics by status, or None if they do not support a filter in use."""
    key_types = filters.key_types(parameters)
    columns = {_COUNTED_BY[name]: value for name, value in parameters.items() if name in _COUNTED_BY}
    if not services or KeyType.TEST in key_types or parameters.keys() - _COUNTED_BY.keys() - _OTHERS:
        return None
    kept = Q(pk__in=[])
    for service in services:
        kept |= Q(service=service, day__gte=service.kept_since().date())
    counted = HourlyCount.objects.filter(kept, key_type__in=key_types, **columns)
    sums = counted.order_by().values_list("status").annotate(number=Sum(F("n") - F("deleted")))
    return Counter(dict(sums))


def _capped(rows: QuerySet[Notification], statuses: frozenset[Status]) -> tuple[int, bool]:
    wanted = rows if len(statuses) == len(Status) else rows.filter(status__in=sorted(statuses))
    number = wanted.order_by().values_list("pk")[: MAX_COUNTED + 1].count()
    return min(number, MAX_COUNTED), number > MAX_COUNTED
