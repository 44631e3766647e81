"""Find and delete the records of a person in data sets that are marked as personal.

The earlier values of single records, rejected records and the records of emptied data sets are searched, too.
Source: docs/reference/erasing.md §3.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet, TextField
from django.db.models.functions import Cast

from config.databases import statements
from config.databases.streaming import streamed
from config.encryption import DecryptionFailed
from config.personal_records import PersonalRecords, RecordSearch
from datasets.columns import segments
from datasets.models import (
    DataSet,
    DataSetSchema,
    EmptiedStore,
    FieldSeen,
    KeptValue,
    Record,
    RejectedRecord,
    StoredAnswer,
)
from datasets.store.write_lock import LockedStore, with_write_lock

_AT_ONCE = 500  # records in a batch
_SCAN_SECONDS = 300  # of one data set


class _Found(NamedTuple):
    """One record of a person. body: its fields as JSON"""

    record_id: str
    body: str


def _count(search: RecordSearch) -> int:
    return sum(1 for data_set in _personal() for _ in _texts(data_set, search))


def _export(search: RecordSearch) -> Iterator[dict[str, Any]]:
    for data_set in _personal():
        for kind, text in _texts(data_set, search):
            yield {"data_set": str(data_set), "state": kind, "content": text}


def _erase(search: RecordSearch) -> Iterator[int]:
    for data_set in _personal():
        erased = 0
        for store_id in _stores(data_set):
            ids = [found.record_id for found in _records(store_id, search)]
            for first in range(0, len(ids), _AT_ONCE):
                some = ids[first : first + _AT_ONCE]
                number = with_write_lock(data_set.pk, partial(_delete, data_set.pk, store_id, some))
                erased += number
                yield number
        for rows in (KeptValue.objects.filter(data_set=data_set), RejectedRecord.objects.filter(data_set=data_set)):
            pks = [row.pk for row, _ in _encrypted(rows, search)]
            for first in range(0, len(pks), _AT_ONCE):
                yield rows.filter(pk__in=pks[first : first + _AT_ONCE]).delete()[0]
        if erased:  # the next sample has neither examples nor lists of values of the person
            FieldSeen.objects.filter(data_set=data_set).update(example="")
            DataSetSchema.objects.filter(data_set=data_set).update(learned="")
            StoredAnswer.objects.all().delete()  # may have the person as a group; a query names several data sets


PERSONAL_RECORDS = PersonalRecords(count=_count, export=_export, erase=_erase)


def _personal() -> QuerySet[DataSet]:
    return DataSet.objects.filter(personal=True).select_related("group", "type").order_by("pk")


def _stores(data_set: DataSet) -> list[int]:
    """Return the ids of the current store, and of the emptied ones, also of those that wait for deletion."""
    waiting = Q(data_set=None, label=str(data_set))
    emptied = EmptiedStore.objects.filter(Q(data_set=data_set) | waiting).values_list("store_id", flat=True)
    return [data_set.store_id, *emptied]


def _texts(data_set: DataSet, search: RecordSearch) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of everything that has the recipient."""
    for store_id in _stores(data_set):
        kind = "stored" if store_id == data_set.store_id else "emptied"
        for found in _records(store_id, search):
            yield kind, json.dumps({"_id": found.record_id, **json.loads(found.body)}, ensure_ascii=False)
    for _, text in _encrypted(KeptValue.objects.filter(data_set=data_set), search):
        yield "earlier value", text
    for _, text in _encrypted(RejectedRecord.objects.filter(data_set=data_set), search):
        yield "rejected", text


def _records(store_id: int, search: RecordSearch) -> Iterator[_Found]:
    """Yield the records with the recipient. The database finds those that may have it."""
    rows = search.may_have(Record.objects.filter(store_id=store_id), ("record_id", "body")).order_by()
    texts = rows.annotate(text=Cast(F("body"), TextField())).values_list("record_id", "text")
    with statements.allowed(_SCAN_SECONDS):
        for record_id, body in streamed(texts, chunk_size=_AT_ONCE):
            if search.are_in(record_id) or search.are_in(body):
                yield _Found(record_id, body)


def _encrypted(rows: QuerySet[Any], search: RecordSearch) -> Iterator[tuple[Any, str]]:
    """Yield the rows with the recipient and their text. Values that FIELD_KEYS cannot decrypt are left out."""
    for row in streamed(rows.order_by("pk"), chunk_size=_AT_ONCE):
        try:
            text = json.dumps(row.value().fields(), ensure_ascii=False) if _is_kept(row) else row.element().text
        except DecryptionFailed:
            continue
        if search.are_in(text if _is_kept(row) else _with_plain(text)):
            yield row, text


def _with_plain(text: str) -> str:
    """Return a JSON text, and the same without escapes: a rejected record may have been sent as `ann\\u0040…`."""
    try:
        value = json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=list)
        return f"{text} {json.dumps(value, ensure_ascii=False)}"
    except (ValueError, RecursionError):
        return text


def _is_kept(row: Any) -> bool:
    return isinstance(row, KeptValue)


def _delete(data_set_id: int, store_id: int, ids: list[str], locked: LockedStore) -> int:
    """Delete records of one store, which may have been emptied since it was searched."""
    records = Record.objects.filter(store_id=store_id, record_id__in=ids)
    timestamps = list(records.values_list("timestamp", flat=True))
    removed: int = records.delete()[0]
    if store_id == locked.id:
        segments.open_at(locked.id, locked.columns_until, timestamps)
        changed = {"record_count": F("record_count") - removed, "revision": F("revision") + 1}
        DataSet.objects.filter(pk=data_set_id).update(**changed)
    else:
        segments.open_between(store_id, [{"least": at, "greatest": at} for at in timestamps])
        EmptiedStore.objects.filter(store_id=store_id).update(records=F("records") - removed)
    return removed
