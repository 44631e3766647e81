"""Delete old records, and records over the limit of a data set. Source: docs/reference/data-sets.md §14.

Each batch is one transaction under the data set's lock, so that writers wait for milliseconds only. A killed process
loses at most one batch, and two processes can work at once. The transaction also updates the count and the revision.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db.models import Count, F, Min, Q, QuerySet
from django.utils import timezone

from datasets.columns import segments
from datasets.errors import NoSuchDataSet
from datasets.models import EARLIEST, DataSet, Record, Segment
from datasets.models.data_set import STORE_ID, DataSetQuerySet
from datasets.store.write_lock import LockedStore, with_write_lock

_AT_ONCE = 2_000  # records in a batch, about 20 ms
_IN_TIME = ("timestamp", "record_id")  # the order of the index
_OLDEST_FIRST = ("timestamp", "updated_at", "record_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The records that the rules would delete now. oldest: the first `_timestamp` among them.

    by_age: how many are deleted for their age; the others are over the limit
    """

    removed: int
    by_age: int
    total: int
    oldest: datetime | None


class AgedRecords(NamedTuple):
    """Records that are older than a number of days. oldest: the first `_timestamp` among them"""

    number: int
    oldest: datetime


def preview(data_set: DataSet, *, days: int | None, newest: int | None) -> Preview:
    """Return what these rules would delete now. Nothing is changed."""
    total = data_set.record_count
    removed = by_age = _older(data_set.store_id, kept_from(days)) if days is not None else 0
    if newest is not None:
        removed = max(removed, total - newest)
    in_time = data_set.records.order_by("timestamp", "record_id")
    oldest = in_time.values_list("timestamp", flat=True).first() if removed else None
    return Preview(removed=removed, by_age=by_age, total=total, oldest=oldest)


def would_remove(data_sets: QuerySet[DataSet], *, days: int | None, newest: int | None) -> int:
    """Return how many records these rules would delete from all these data sets."""
    chosen = DataSet.objects.filter(pk__in=data_sets.order_by().values("pk"))
    aged = {} if days is None else aged_records(chosen, days)
    removed = 0
    for store_id, count in chosen.values_list(STORE_ID, "record_count"):
        by_age = aged[store_id].number if store_id in aged else 0
        removed += max(by_age, 0 if newest is None else count - newest)
    return removed


def aged_records(data_sets: DataSetQuerySet, days: int) -> dict[int, AgedRecords]:
    """Return the records that are older than `days`, by the id of the store, without stores that have none."""
    kept = kept_from(days)
    old = Record.objects.filter(store_id__in=data_sets.filter(columns_until=None).stores(), timestamp__lt=kept)
    grouped = old.order_by().values_list("store_id").annotate(number=Count("pk"), oldest=Min("timestamp"))
    found = {store_id: AgedRecords(number, oldest) for store_id, number, oldest in grouped}
    for store_id in data_sets.exclude(columns_until=None).stores():
        if number := _older(store_id, kept):
            oldest = Record.objects.filter(store_id=store_id).aggregate(oldest=Min("timestamp"))["oldest"]
            found[store_id] = AgedRecords(number, oldest)
    return found


def _older(store_id: int, kept: datetime) -> int:
    """Return the number of records before `kept`. Built segments know theirs, so only the others are counted."""
    built = Segment.objects.filter(store_id=store_id, ends_at__lte=kept).built().order_by("starts_at")
    start, others, in_segments = EARLIEST, Q(), 0
    for starts_at, ends_at, number in built.values_list("starts_at", "ends_at", "records"):
        if start < starts_at:
            others |= Q(timestamp__gte=start, timestamp__lt=starts_at)
        start = ends_at
        in_segments += number
    others |= Q(timestamp__gte=start, timestamp__lt=kept)
    return in_segments + Record.objects.filter(others, store_id=store_id).order_by().count()


def kept_from(days: int) -> datetime:
    """Return the moment n × 24 hours ago; records from then on are kept."""
    return timezone.now() - timedelta(days=days)


def remove_old(data_set_id: int, days: int) -> Iterator[int]:
    """Delete records older than `days` and yield the number in each batch."""
    kept = kept_from(days)
    is_due = _of(data_set_id).filter(timestamp__lt=kept).exists
    return _batches(data_set_id, partial(_batch_by_age, data_set_id, kept), is_due)


def remove_beyond(data_set_id: int, newest: int, *, days: int | None = None) -> Iterator[int]:
    """Keep the newest by `_timestamp`, `_updated_at` and `_id`, delete the others, and yield the number in each batch.

    days: older records do not count; `remove_old` deletes them
    """
    kept = None if days is None else kept_from(days)

    def is_due() -> bool:
        return _beyond(data_set_id, newest, kept) > 0

    return _batches(data_set_id, partial(_batch_by_number, data_set_id, newest, kept), is_due)


def _batches(data_set_id: int, batch: Callable[[LockedStore], int], is_due: Callable[[], bool]) -> Iterator[int]:
    """Check without the lock first, because usually nothing is due."""
    while is_due():
        try:
            yield with_write_lock(data_set_id, batch)
        except NoSuchDataSet:  # the data set was deleted after its records
            return


def _batch_by_age(data_set_id: int, kept: datetime, locked: LockedStore) -> int:
    records = Record.objects.filter(store_id=locked.id, timestamp__lt=kept).order_by(*_IN_TIME)
    return _remove(data_set_id, locked, records, _AT_ONCE)


def _batch_by_number(data_set_id: int, newest: int, kept: datetime | None, locked: LockedStore) -> int:
    number = min(_beyond(data_set_id, newest, kept), _AT_ONCE)  # the lock keeps this number exact
    records = Record.objects.filter(store_id=locked.id).order_by(*_OLDEST_FIRST)
    return _remove(data_set_id, locked, records if kept is None else records.filter(timestamp__gte=kept), number)


def _beyond(data_set_id: int, newest: int, kept: datetime | None) -> int:
    stored = DataSet.objects.filter(pk=data_set_id).values_list("record_count", flat=True).first() or 0
    if kept is None or stored <= newest:
        return stored - newest
    return stored - newest - _of(data_set_id).filter(timestamp__lt=kept).count()


def _of(data_set_id: int) -> QuerySet[Record]:
    return Record.objects.filter(store_id=DataSet.objects.filter(pk=data_set_id).stores()[:1]).order_by()


def _remove(data_set_id: int, locked: LockedStore, records: QuerySet[Record], most: int) -> int:
    """Delete the first of these records, which are in the order of time, and return their number.

    The ids are read first: with old statistics, PostgreSQL runs a sub-select of them once for each record. The time of
    the last one keeps it from reading all other records.
    """
    first = list(records.values_list("record_id", "timestamp")[:most]) if most > 0 else []
    if not first:
        return 0
    ids, last = [record_id for record_id, _ in first], first[-1][1]
    segments.open_at(locked.id, locked.columns_until, (timestamp for _, timestamp in first))
    removed, _ = Record.objects.filter(store_id=locked.id, record_id__in=ids, timestamp__lte=last).delete()
    if removed:
        changed = {"record_count": F("record_count") - removed, "revision": F("revision") + 1}
        DataSet.objects.filter(pk=data_set_id).update(**changed)
    return removed
