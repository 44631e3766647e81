"""Delete the records that match a condition, a batch at a time. Source: docs/reference/data-sets.md §20.

Each batch is one transaction under the data set's lock, so that writers wait for milliseconds only. The condition is
checked again under the lock: a record that was corrected meanwhile stays.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from django.db.models import F, QuerySet

from config import audit
from datasets.columns import segments
from datasets.models import DataSet, Record
from datasets.store.one_record import forget_in_emptied
from datasets.store.write_lock import LockedStore, with_write_lock

Matching = Callable[[QuerySet[Record]], QuerySet[Record]]  # adds the condition to a query set

_AT_ONCE = 2_000  # records in a batch, about 20 ms


def ids_of(data_set: DataSet, matching: Matching, most: int, *, after: str = "") -> list[str]:
    """Return the first ids of the matching records, by code point. after: the last id of an earlier call"""
    records = Record.objects.filter(store_id=data_set.store_id)
    if after:
        records = records.filter(record_id__gt=after)
    return list(matching(records).order_by("record_id").values_list("record_id", flat=True)[:most])


def delete(data_set_id: int, matching: Matching, ids: Sequence[str]) -> Iterator[int]:
    """Delete those of these records that still match, and yield the number of each batch. Raises OperationalError."""
    for first in range(0, len(ids), _AT_ONCE):
        yield with_write_lock(data_set_id, partial(_delete, data_set_id, matching, ids[first : first + _AT_ONCE]))


def note_deletion(data_set: DataSet, removed: int, *, by: audit.Actor, reason: str) -> None:
    """Record a whole deletion in the audit, without the condition, which may name a person."""
    audit.record(by, "deleted_records", data_set, before={"records": removed}, reason=reason)


def _delete(data_set_id: int, matching: Matching, ids: Sequence[str], locked: LockedStore) -> int:
    found = matching(Record.objects.filter(store_id=locked.id, record_id__in=ids)).order_by()
    rows = list(found.values_list("record_id", "timestamp"))
    if not rows:
        return 0
    known = [record_id for record_id, _ in rows]
    segments.open_at(locked.id, locked.columns_until, [timestamp for _, timestamp in rows])
    removed: int = Record.objects.filter(store_id=locked.id, record_id__in=known).delete()[0]
    forget_in_emptied(data_set_id, known)
    changed = {"record_count": F("record_count") - removed, "revision": F("revision") + 1}
    DataSet.objects.filter(pk=data_set_id).update(**changed)
    return removed
