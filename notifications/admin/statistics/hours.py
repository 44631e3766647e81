"""All counts of some services as rows of a CSV file. Source: docs/reference/statistics.md §3, §5."""

from collections.abc import Iterator, Sequence

from config.databases.streaming import streamed
from notifications.jobs import message_records
from notifications.models import HourlyCount, Service

_AT_ONCE = 1000
_HEADER = (
    *("hour", "service", "service_id", "channel", "template", "template_id", "key_type", "status", "provider"),
    *("count", "parts", "cost", "seconds_p50", "seconds_p95"),
)


def rows(services: Sequence[Service]) -> Iterator[Sequence[object]]:
    """Yield the header and a row for each count, the newest day first."""
    yield _HEADER
    counts = HourlyCount.objects.filter(service__in=services, n__gt=0).select_related("service", "template")
    for row in streamed(counts.order_by("-day", "-hour", "id"), chunk_size=_AT_ONCE):
        found = {"hour": f"{message_records.hour_of(row):%Y-%m-%dT%H:%MZ}", **message_records.fields_of(row)}
        yield ["" if found[name] is None else found[name] for name in _HEADER]
