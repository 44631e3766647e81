"""The overview of a data set: counts, days, fields, example commands and refused writes.

Source: docs/reference/console.md §2.15.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from config import formats
from config.console import cells
from datasets.admin import examples, freshness
from datasets.models import DataSet, DataSetDay, FieldSeen, WriteError
from datasets.records import moments
from datasets.store import fields_seen

_DAYS = 30
_TOKEN = "$DATA_TOKEN"  # noqa: S105  a shell variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The counts of one UTC day. writes_share, refused_share: percent of the highest column."""

    day: date
    writes: int
    records: int
    refused: int
    without_token: int
    writes_share: float
    refused_share: float


def context(data_set: DataSet) -> dict[str, Any]:
    if fields_seen.is_stale(data_set):
        fields_seen.note(data_set)
    in_time = data_set.records.order_by("timestamp", "record_id").values_list("timestamp", flat=True)
    first, last = in_time.first(), in_time.reverse().first()
    shown = days(data_set)
    return {
        "url": examples.url(data_set),
        "stored": formats.number(data_set.record_count),
        "first": moments.write(first) if first else "–",
        "last": moments.write(last) if last else "–",
        "last_write": cells.moment(data_set.last_write_at, never="Never"),
        "state": cells.chip(*freshness.shown(data_set)),
        "days": shown,
        "most": max(max(day.writes, day.refused) for day in shown),
        "totals": {name: sum(getattr(day, name) for day in shown) for name in ("writes", "refused", "without_token")},
        "fields": FieldSeen.objects.filter(data_set=data_set),
        "post": examples.write(data_set, _TOKEN),
        "put": examples.empty(data_set, _TOKEN),
        "write_errors": WriteError.objects.filter(data_set=data_set),
        "owners": ", ".join(str(owner) for owner in data_set.owners.all()) or "–",
    }


def days(data_set: DataSet) -> list[Day]:
    """Return the last 30 UTC days, oldest first, including empty days."""
    today = timezone.now().date()
    first = today - timedelta(days=_DAYS - 1)
    rows = {row.day: row for row in DataSetDay.objects.filter(data_set=data_set, day__gte=first)}
    most = max((max(row.writes, row.refused) for row in rows.values()), default=0) or 1
    found = []
    for number in range(_DAYS):
        day = first + timedelta(days=number)
        row = rows.get(day) or DataSetDay(data_set=data_set, day=day)
        found.append(
            Day(
                day=day,
                writes=row.writes,
                records=row.records,
                refused=row.refused,
                without_token=row.without_token,
                writes_share=round(100 * row.writes / most, 1),
                refused_share=round(100 * row.refused / most, 1),
            )
        )
    return found
