"""Compute the measure that an alarm reads. A new kind of measure is one function in MEASURES.

A measure is a number, or None if there is nothing to compute. Source: docs/reference/alarms.md §2.
"""

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from django.db.models import QuerySet

from config import formats
from config.databases.streaming import streamed
from config.invalid import InvalidValue
from datasets import store
from datasets.errors import DataSetError
from datasets.models import OF_QUERIES, Alarm, AlarmCondition, AlarmMeasure, DataSet, FieldDrift, Record, SavedQuery
from datasets.queries import values
from datasets.queries.stored import FieldText
from datasets.saved_queries import answering
from datasets.saved_queries.answer import AnswerRow
from datasets.saved_queries.question import Question
from datasets.saved_queries.wording import Unit
from datasets.store.freshness import State

MOST_READ = 100_000  # records of one share: 1 s
_AT_ONCE = 5_000
_LARGEST = sys.float_info.max
_MOST_DECIMALS = 17


def value_of(alarm: Alarm, now: datetime) -> float | None:
    """Return the measure, at most the largest double: the audit is JSON, which has no infinity.

    Raises DataSetError if a saved query cannot be answered now.
    """
    found = MEASURES[AlarmMeasure(alarm.measure)](alarm, now)
    return None if found is None or math.isnan(found) else max(-_LARGEST, min(found, _LARGEST))


def _minutes(alarm: Alarm, now: datetime) -> float | None:
    """Return the minutes since the last write that stored records; None before the first."""
    last = alarm.data_set.last_write_at
    return None if last is None else max(0.0, (now - last).total_seconds() / 60)


def _late(alarm: Alarm, now: datetime) -> float | None:
    """Return the minutes by which an expected write is late. None before the first, or if none is expected."""
    state = store.freshness.state(alarm.data_set, now)
    if state in {State.NOT_WATCHED, State.EMPTY}:
        return None
    return max(0.0, store.freshness.late_by(alarm.data_set, now).total_seconds() / 60)


def _emptied(alarm: Alarm, now: datetime) -> float | None:
    """Return the minutes since the last emptying, also if there are records again; None after *Undo* and 24 hours."""
    emptied_at = store.undoable(alarm.data_set_id).values_list("emptied_at", flat=True).first()
    return None if emptied_at is None else max(0.0, (now - emptied_at).total_seconds() / 60)


def _drift(alarm: Alarm, now: datetime) -> float | None:
    """Return the differences of today and yesterday, so that none is lost at midnight."""
    return float(FieldDrift.objects.filter(data_set=alarm.data_set_id).since(now.date() - timedelta(days=1)))


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
        value = values.number(fields.get(rule["value"]))
        if value is None or not math.isfinite(value):  # no number, or a whole one beyond doubles
            continue
        whole += value
        if all(fields.get(name) in wanted for name, wanted in rule["part"].items()):
            part += value
    return 100 * part / whole if whole >= rule["at_least"] else None


def _having(records: QuerySet[Record], conditions: Mapping[str, Sequence[object]]) -> QuerySet[Record]:
    """Return the records that have one of these values in every field."""
    for place, (name, wanted) in enumerate(conditions.items()):
        texts = [json.dumps(value, ensure_ascii=False) for value in wanted]
        records = records.alias(**{f"field_{place}": FieldText(name)}).filter(**{f"field_{place}__in": texts})
    return records


def _query(alarm: Alarm, now: datetime) -> float | None:
    """Return the value of the last row of the saved query, in percent for a ratio whose unit is %."""
    row = _last_row(alarm, now)
    if row is None or row.value is None or alarm.saved_query is None:
        return None
    question = answering.question_of(alarm.saved_query)
    return float(row.value) * (100 if Unit.of(alarm.saved_query, question).is_percent else 1)


def _change(alarm: Alarm, now: datetime) -> float | None:
    """Return by how many percent the last row differs from the earlier range. A fall is below 0."""
    row = _last_row(alarm, now)
    if row is None or row.value is None or not row.previous:
        return None
    return 100 * (float(row.value) - float(row.previous)) / abs(float(row.previous))


def _last_row(alarm: Alarm, now: datetime) -> AnswerRow | None:
    """Return the last row of the answer, or None if there is none. Raises DataSetError if it cannot be answered."""
    if alarm.saved_query is None:
        return None
    rows = answering.answer(alarm.saved_query, now=now).rows
    return rows[-1] if rows else None


def check_alarms_of(saved_query: SavedQuery) -> None:
    """Raise InvalidValue if an alarm on the query could not read its changed question."""
    question = Question.of(saved_query.question)
    for alarm in saved_query.alarms.all() if saved_query.pk is not None else ():
        if question.split:
            raise InvalidValue(f"The alarm “{alarm}” reads one value. Leave the query without a split.")
        if alarm.measure == AlarmMeasure.CHANGE and not question.compare:
            raise InvalidValue(f"The alarm “{alarm}” reads a change. Leave the comparison in the query.")


def prepare(alarm: Alarm, now: datetime) -> None:
    """Let the answer of a saved query be computed and stored, before a transaction locks the alarm."""
    with suppress(DataSetError):
        _last_row(alarm, now)


MEASURES: Mapping[AlarmMeasure, Callable[[Alarm, datetime], float | None]] = {
    AlarmMeasure.MINUTES: _minutes,
    AlarmMeasure.LATE: _late,
    AlarmMeasure.RECORDS: _records,
    AlarmMeasure.EMPTIED: _emptied,
    AlarmMeasure.DRIFT: _drift,
    AlarmMeasure.SHARE: _share,
    AlarmMeasure.QUERY: _query,
    AlarmMeasure.CHANGE: _change,
}


def check_expected(measure: str, data_set: DataSet) -> None:
    """Raise InvalidValue if the measure needs to know when writes are expected, and the data set does not have it."""
    if measure == AlarmMeasure.LATE and data_set.expected_every_seconds is None:
        raise InvalidValue("This data set expects no writes. Set how often it expects one first.")


def check_limit(condition: str, limit: float) -> None:
    """Raise InvalidValue if every value is further from 0 than the limit."""
    if condition == AlarmCondition.BEYOND and limit < 0:
        raise InvalidValue("Enter 0 or more. Every value is further from 0 than a negative limit.")


def check_query(measure: str, saved_query: SavedQuery | None, data_set: DataSet) -> None:
    """Raise InvalidValue unless the query and the measure of an alarm belong together."""
    if measure not in OF_QUERIES:
        if saved_query is not None:
            raise InvalidValue("Choose no saved query. This measure does not read one.")
        return
    if saved_query is None or saved_query.data_set_id != data_set.pk:
        raise InvalidValue("Choose a saved query of the data set of the alarm.")
    question = Question.of(saved_query.question)
    if question.split:
        raise InvalidValue("Choose a saved query that is not split. An alarm compares one value.")
    if measure == AlarmMeasure.CHANGE and not question.compare:
        raise InvalidValue("Choose a saved query that is compared with an earlier range.")


def in_words(value: float, limit: float) -> str:
    """Return a value with one decimal, or with as many as it takes to be on the same side of the limit.

    >>> in_words(12.34, 10), in_words(5.004, 5), in_words(-10.04, 10), in_words(4.96, 5), in_words(1234, 5)
    ('12.3', '5.004', '-10.04', '4.96', '1,234')
    """
    written = (round(value, decimals) for decimals in range(1, _MOST_DECIMALS))
    return formats.exact(next((one for one in written if _side(one, limit) == _side(value, limit)), value))


def _side(value: float, limit: float) -> tuple[bool, bool, bool]:
    """The last is for limits of changes, whose values count without the sign."""
    return value > limit, value < limit, abs(value) > abs(limit)
