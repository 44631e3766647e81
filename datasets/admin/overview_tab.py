"""The overview of a data set: counts, days and fields.

Source: docs/reference/console.md §2.15.
"""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from datasets.models import DataSet, DataSetDay
from datasets.store import fields_seen, freshness
from datasets.store.freshness import State

_DAYS = 30


def context(data_set: DataSet) -> dict[str, Any]:
    in_time = data_set.records.order_by("timestamp", "record_id").values_list("timestamp", flat=True)
    first, last = in_time.first(), in_time.reverse().first()
    shown = days(data_set)
    return {
        "stored": formats.number(data_set.record_count),
        "first": first,
        "last": last,
        "last_write": cells.moment(data_set.last_write_at, never="Never"),
        "state": freshness_chip(data_set),
        "days": shown,
        "most": max(max(day.writes, day.refused) for day in shown),
        "totals": {name: sum(getattr(day, name) for day in shown) for name in ("writes", "refused", "without_token")},
        "fields": fields_seen.current(data_set),
        "owners": ", ".join(str(owner) for owner in data_set.owners.all()) or "–",
    }


def days(data_set: DataSet) -> list[DataSetDay]:
    """Return the counts of the last 30 UTC days, oldest first. A day without a row has zeros."""
    today = timezone.now().date()
    shown = [today - timedelta(days=ago) for ago in reversed(range(_DAYS))]
    rows = {row.day: row for row in DataSetDay.objects.filter(data_set=data_set, day__gte=shown[0])}
    return [rows.get(day) or DataSetDay(data_set=data_set, day=day) for day in shown]


def freshness_chip(data_set: DataSet) -> SafeString:
    """Return whether a data set is late. Source: docs/reference/data-sets.md §15; docs/reference/console.md §3.15."""
    state = freshness.state(data_set)
    if state != State.LATE:
        tones = {State.FRESH: "good", State.EMPTY: "warn"}
        return cells.chip(state.capitalize(), tones.get(state, ""))
    late_by = freshness.late_by(data_set)
    hours = late_by // timedelta(hours=1)
    return cells.chip(f"Late {hours} h" if hours else f"Late {late_by // timedelta(minutes=1)} min", "bad")
