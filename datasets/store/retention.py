"""Remove the records a data set keeps no longer: by age, and beyond a number. Source: Data Set contract §14.

In steps of some thousand records, each a transaction of its own in the data set's turn: writers wait for milliseconds,
a process that is killed loses a step at most, and two at once find what the other has left. Count and revision move
with the records, in the same transaction.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import Count, F, QuerySet
from django.utils import timezone

from datasets.errors import NoSuchDataSet
from datasets.models import DataSet, Record
from datasets.store.turn import in_turn

_AT_ONCE = 2_000  # records of a step: some 10 ms

_REMOVE = """
DELETE FROM datasets_record WHERE data_set_id = %s AND record_id IN (
    SELECT record_id FROM datasets_record WHERE data_set_id = %s {older} ORDER BY {order} LIMIT %s)
"""
_BY_AGE = _REMOVE.format(older='AND "timestamp" < %s', order='"timestamp", record_id')
_BY_NUMBER = _REMOVE.format(older="", order='"timestamp", updated_at, record_id')
_BY_NUMBER_OF_KEPT = _REMOVE.format(older='AND "timestamp" >= %s', order='"timestamp", updated_at, record_id')


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What the rules would remove now, and of how many. oldest: the first `_timestamp` that would go.

    by_age: how many of the removed are removed because of their age; the others are too many.
    """

    removed: int
    by_age: int
    total: int
    oldest: datetime | None


def preview(data_set: DataSet, *, days: int | None, newest: int | None) -> Preview:
    """Say what these rules would do to the data set as it is now, changing nothing."""
    records = Record.objects.filter(data_set=data_set).order_by()
    total = records.count()
    removed = by_age = records.filter(timestamp__lt=kept_from(days)).count() if days is not None else 0
    if newest is not None:
        removed = max(removed, total - newest)
    oldest = records.order_by("timestamp", "record_id").values_list("timestamp", flat=True).first() if removed else None
    return Preview(removed=removed, by_age=by_age, total=total, oldest=oldest)


def would_remove(data_sets: QuerySet[DataSet], *, days: int | None, newest: int | None) -> int:
    """Say how many records these rules would remove from all of these sets together, in two queries."""
    ids = data_sets.order_by().values("pk")
    aged: dict[int, int] = {}
    if days is not None:
        old = Record.objects.filter(data_set__in=ids, timestamp__lt=kept_from(days)).order_by()
        aged = dict(old.values_list("data_set").annotate(number=Count("pk")))
    counts = DataSet.objects.filter(pk__in=ids).values_list("pk", "record_count")
    return sum(max(aged.get(pk, 0), 0 if newest is None else count - newest) for pk, count in counts)


def kept_from(days: int) -> datetime:
    """Return the first moment that is kept: n × 24 h ago."""
    return timezone.now() - timedelta(days=days)


def remove_old(data_set_id: int, days: int) -> Iterator[int]:
    """Remove what is older than so many days, and yield the number of each step."""
    kept = kept_from(days)
    is_due = Record.objects.filter(data_set_id=data_set_id, timestamp__lt=kept).order_by().exists
    return _steps(data_set_id, partial(_step_by_age, data_set_id, kept), is_due)


def remove_beyond(data_set_id: int, newest: int, *, days: int | None = None) -> Iterator[int]:
    """Remove all but the newest, by `_timestamp`, then `_updated_at`, then `_id`; yield the number of each step.

    days: records that are older are left to `remove_old`, and not counted.
    """
    kept = None if days is None else kept_from(days)

    def is_due() -> bool:
        return _beyond(data_set_id, newest, kept) > 0

    return _steps(data_set_id, partial(_step_by_number, data_set_id, newest, kept), is_due)


def remove_oldest(data_set_id: int, most: int) -> int:
    """Remove up to so many records, whatever they are; call it in the data set's turn. Returns how many went."""
    return _remove(data_set_id, _BY_NUMBER, [data_set_id, data_set_id, most])


def _steps(data_set_id: int, step: Callable[[], int], is_due: Callable[[], bool]) -> Iterator[int]:
    """Look first without the data set's lock: most of the time nothing is due."""
    while is_due():
        try:
            yield in_turn(data_set_id, step)
        except NoSuchDataSet:  # deleted meanwhile, its records before it
            return


def _step_by_age(data_set_id: int, kept: datetime) -> int:
    return _remove(data_set_id, _BY_AGE, [data_set_id, data_set_id, _parameter(kept), _AT_ONCE])


def _step_by_number(data_set_id: int, newest: int, kept: datetime | None) -> int:
    number = min(_beyond(data_set_id, newest, kept), _AT_ONCE)  # exact, for the lock is held
    if number <= 0:
        return 0
    if kept is None:
        return _remove(data_set_id, _BY_NUMBER, [data_set_id, data_set_id, number])
    return _remove(data_set_id, _BY_NUMBER_OF_KEPT, [data_set_id, data_set_id, _parameter(kept), number])


def _beyond(data_set_id: int, newest: int, kept: datetime | None) -> int:
    stored = DataSet.objects.filter(pk=data_set_id).values_list("record_count", flat=True).first() or 0
    if kept is None or stored <= newest:
        return stored - newest
    return stored - newest - Record.objects.filter(data_set_id=data_set_id, timestamp__lt=kept).order_by().count()


def _parameter(moment: datetime) -> datetime | str:
    return moment if connection.vendor == "postgresql" else str(connection.ops.adapt_datetimefield_value(moment))


def _remove(data_set_id: int, statement: str, parameters: list[Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        removed: int = cursor.rowcount
    if removed:
        changed = {"record_count": F("record_count") - removed, "revision": F("revision") + 1}
        DataSet.objects.filter(pk=data_set_id).update(**changed)
    return removed
