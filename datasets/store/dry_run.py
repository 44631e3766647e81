"""Find what a POST would store. Nothing is written or locked. Source: docs/reference/data-sets.md §9."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from datasets.models import DataSet, Record
from datasets.records import ParsedRecord
from datasets.store.batch import RecordBatch

_AT_ONCE = 5_000  # ids in one statement; SQLite takes 32,766 parameters


class CheckedAppend(NamedTuple):
    """The records of a POST, each `_id` once: how many are new, and how many replace a stored record."""

    records: int
    new: int
    replaced: int


def check_append(data_set_id: int, records: Iterable[ParsedRecord]) -> CheckedAppend:
    """Return the counts of a POST of these records. Raises RecordsRejected."""
    ids = [record.id for record in RecordBatch(records).finish()]
    replaced = known_ids(data_set_id, ids)
    return CheckedAppend(records=len(ids), new=len(ids) - replaced, replaced=replaced)


def known_ids(data_set_id: int, ids: Sequence[str]) -> int:
    """Return how many of these ids the data set has."""
    stored = Record.objects.filter(store_id=DataSet.objects.filter(pk=data_set_id).stores()[:1]).order_by()
    parts = (ids[first : first + _AT_ONCE] for first in range(0, len(ids), _AT_ONCE))
    return sum(stored.filter(record_id__in=part).count() for part in parts)
