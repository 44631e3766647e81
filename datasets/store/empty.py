"""Empty a data set, bring its records back, and delete them for good.

Source: docs/reference/data-sets.md §9.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.db import connection
from django.db.models import F, Max, Min, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from config import audit
from config.data_sets import DataSetChange, data_set_changed
from datasets.columns import segments
from datasets.errors import NothingToUndo
from datasets.models import DataSet, EmptiedStore, Record, Segment
from datasets.store.write_lock import LockedStore, with_write_lock

KEPT = timedelta(hours=24)
_AT_ONCE = 2_000  # records in a batch of the clean-up, about 20 ms
_COLUMNS = 'record_id, "timestamp", start_at, end_at, body, updated_at, token_id, request_id'
# What was written since the emptying wins. Without `WHERE true`, SQLite reads ON CONFLICT as the ON of a join.
_BRING_BACK = f"""
INSERT INTO datasets_record (data_set_id, {_COLUMNS})
SELECT %s, {_COLUMNS} FROM datasets_record WHERE data_set_id = %s AND true
ON CONFLICT (data_set_id, record_id) DO UPDATE SET
    "timestamp" = excluded."timestamp", start_at = excluded.start_at, end_at = excluded.end_at, body = excluded.body,
    updated_at = excluded.updated_at, token_id = excluded.token_id, request_id = excluded.request_id
"""  # noqa: S608  constant names


def empty(data_set: DataSet, *, by: audit.Actor) -> int:
    """Remove all records, with an audit entry, and return their number. Raises NoSuchDataSet, OperationalError.

    The data set continues with a new store, and `undo` brings the records back for KEPT. One statement that deleted
    five million records took 9 s, and the reads after it failed for a minute, because they passed all the deleted rows.
    """

    def work(locked: LockedStore) -> int:
        rows = DataSet.objects.filter(pk=data_set.pk)
        removed: int = rows.values_list("record_count", flat=True)[0]
        if removed:
            emptied = EmptiedStore.objects.create(
                store_id=locked.id, data_set_id=data_set.pk, label=str(data_set), records=removed
            )
            rows.update(record_count=0, revision=F("revision") + 1, current_store=-emptied.pk, columns_until=None)
            _send_change(data_set, removed)
        audit.record(by, "emptied", data_set, before={"records": removed}, after={"records": 0})
        return removed

    return with_write_lock(data_set.pk, work)


def _send_change(data_set: DataSet, removed: int) -> None:
    change = DataSetChange(
        event="data_set.emptied",
        data_set_id=data_set.pk,
        name=data_set.name,
        path=str(data_set),
        at=timezone.now(),
        details={"removed": removed},
    )
    data_set_changed.send(DataSet, change=change)


def undoable(data_set_id: int) -> QuerySet[EmptiedStore]:
    """Return the emptied stores that can be brought back, the newest first."""
    return EmptiedStore.objects.filter(data_set_id=data_set_id, emptied_at__gt=Now() - KEPT).order_by("-pk")


def undo(data_set: DataSet, *, by: audit.Actor) -> int:
    """Bring back the records of the last emptying, and return their number.

    Records that were written since then stay, and win where the `_id` is the same.
    Raises NothingToUndo, NoSuchDataSet, OperationalError.
    """

    def work(locked: LockedStore) -> int:
        emptied = undoable(data_set.pk).first()
        if emptied is None:
            raise NothingToUndo
        since = Record.objects.filter(store_id=locked.id)
        before = Record.objects.filter(store_id=emptied.store_id)
        replaced = before.filter(record_id__in=since.values("record_id"))
        until = Segment.objects.filter(store_id=emptied.store_id).aggregate(until=Max("ends_at"))["until"]
        ends = [records.aggregate(least=Min("timestamp"), greatest=Max("timestamp")) for records in (since, replaced)]
        overlap, number = replaced.count(), since.count()
        segments.open_between(emptied.store_id, ends)
        with connection.cursor() as cursor:
            cursor.execute(_BRING_BACK, [emptied.store_id, locked.id])
        DataSet.objects.filter(pk=data_set.pk).update(
            record_count=emptied.records + number - overlap,
            revision=F("revision") + 1,
            current_store=None if emptied.store_id == data_set.pk else emptied.store_id,
            columns_until=until,
        )
        restored, store_id = emptied.records, emptied.store_id
        if not undoable(data_set.pk).filter(pk=emptied.pk).delete()[0]:
            raise NothingToUndo  # the clean-up deletes it now
        if number:
            EmptiedStore.objects.create(store_id=locked.id, label=str(data_set), records=number)
        audit.record(by, "undid_emptying", data_set, after={"records": restored, "store": store_id})
        return restored - overlap

    return with_write_lock(data_set.pk, work)


def forget_emptied(data_set: DataSet, *, by: audit.Actor) -> int:
    """Let the next clean-up delete the kept records, and return their number."""
    kept = undoable(data_set.pk)
    number = sum(kept.values_list("records", flat=True))
    EmptiedStore.objects.filter(data_set_id=data_set.pk).update(data_set=None)
    audit.record(by, "deleted_for_good", data_set, before={"records": number})
    return number


def due_emptied() -> QuerySet[EmptiedStore]:
    """Return the stores that nobody can bring back any more."""
    return EmptiedStore.objects.filter(Q(data_set=None) | Q(emptied_at__lte=Now() - KEPT)).order_by("pk")


def delete_emptied() -> Iterator[tuple[str, int]]:
    """Delete the records of the due stores. Yield the data set and the number of records of each batch.

    No lock is needed, because no data set uses these stores. Each batch starts after the last `_id`, so that it does
    not pass the rows deleted before.
    """
    for emptied in due_emptied():
        if not EmptiedStore.objects.filter(pk=emptied.pk).update(data_set=None):  # from now on nobody can bring it back
            continue  # somebody has just brought it back
        records = Record.objects.filter(store_id=emptied.store_id)
        last = ""
        while ids := _ids_after(emptied, last):
            yield emptied.label, records.filter(record_id__in=ids).delete()[0]
            last = ids[-1]
        Segment.objects.filter(store_id=emptied.store_id).delete()
        emptied.delete()


def _ids_after(emptied: EmptiedStore, last: str) -> list[str]:
    records = Record.objects.filter(store_id=emptied.store_id, record_id__gt=last).order_by("record_id")
    return list(records.values_list("record_id", flat=True)[:_AT_ONCE])
