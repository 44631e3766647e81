"""Compute the measure that an alarm reads. A new kind of measure is one function in MEASURES.

A measure is a number, or None if there is nothing to compute. Source: docs/reference/alarms.md §2.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import QuerySet

from config.databases.streaming import streamed
from datasets.models import Alarm, AlarmMeasure, Record
from datasets.queries.stored import FieldText

MOST_READ = 100_000  # records of one share: 1 s
_AT_ONCE = 5_000


def value_of(alarm: Alarm, now: datetime) -> float | None:
    return MEASURES[AlarmMeasure(alarm.measure)](alarm, now)


def _minutes(alarm: Alarm, now: datetime) -> float | None:
    """Return the minutes since the last write that stored records; None before the first."""
    last = alarm.data_set.last_write_at
    return None if last is None else max(0.0, (now - last).total_seconds() / 60)


def _records(alarm: Alarm, now: datetime) -> float | None:
    """Return the number of records; None for a data set that has never had any."""
    return None if alarm.data_set.last_write_at is None else float(alarm.data_set.record_count)


def _share(alarm: Alarm, now: datetime) -> float | None:
    """Return the share in percent, as `datasets.validation.check_share` describes it. None for too few or too many."""
    rule = alarm.share or {}
    first = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=rule["hours"] - 1)
    records = alarm.data_set.records.filter(timestamp__gte=first, timestamp__lte=now)
    bodies = _having(records, rule["whole"]).values_list("body", flat=True)[: MOST_READ + 1]
    part = whole = 0.0
    for number, body in enumerate(streamed(bodies, chunk_size=_AT_ONCE)):
        if number == MOST_READ:
            return None
        fields = json.loads(body) if isinstance(body, str) else body
        value = fields.get(rule["value"])
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        whole += value
        if all(fields.get(name) in values for name, values in rule["part"].items()):
            part += value
    return 100 * part / whole if whole >= rule["at_least"] else None


def _having(records: QuerySet[Record], conditions: Mapping[str, Sequence[object]]) -> QuerySet[Record]:
    """Return the records that have one of these values in every field."""
    for place, (name, values) in enumerate(conditions.items()):
        texts = [json.dumps(value, ensure_ascii=False) for value in values]
        records = records.alias(**{f"field_{place}": FieldText(name)}).filter(**{f"field_{place}__in": texts})
    return records


MEASURES: Mapping[AlarmMeasure, Callable[[Alarm, datetime], float | None]] = {
    AlarmMeasure.MINUTES: _minutes,
    AlarmMeasure.RECORDS: _records,
    AlarmMeasure.SHARE: _share,
}
