"""Change, delete and restore single records. The earlier value is kept for 7 days.

Source: docs/reference/data-sets.md §20.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from config import audit
from config.audit.reads import id_of_record
from datasets.columns import segments
from datasets.errors import IdFieldsDiffer, NoSuchRecord, RecordHasChanged
from datasets.models import DataSet, EmptiedStore, KeptValue, Record, RecordValue
from datasets.records import ParsedRecord, auto_ids
from datasets.store.empty import undoable
from datasets.store.write_lock import LockedStore, with_write_lock


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEdit:
    """Who changes a record, and why.

    may_change: whether the stored record with this entity tag may be changed
    """

    by: audit.Actor
    reason: str = ""
    token_id: int | None = None
    request_id: UUID | None = None
    may_change: Callable[[str], bool] = lambda tag: True


def find(data_set: DataSet, record_id: str) -> Record:
    """Return the stored record. Raises NoSuchRecord."""
    found = data_set.records.filter(record_id=record_id).first()
    if found is None:
        raise NoSuchRecord
    return found


def tag_of(record: Record) -> str:
    """Return the strong entity tag. Each write changes `updated_at`, and so the tag."""
    named = json.dumps([record.updated_at.isoformat(), *RecordValue.of(record)])
    return f'"{hashlib.sha256(named.encode()).hexdigest()[:32]}"'


def check_change(data_set: DataSet, record_id: str, record: ParsedRecord | None, edit: RecordEdit) -> Record:
    """Return the stored record if this change, or the deletion for None, is possible.

    Raises NoSuchRecord, RecordHasChanged, IdFieldsDiffer.
    """
    stored = find(data_set, record_id)
    if not edit.may_change(tag_of(stored)):
        raise RecordHasChanged
    if record is not None and record.id != record_id:
        _check_id_fields(RecordValue.of(stored), data_set.auto_ids or ())
    return stored


def change(data_set: DataSet, record_id: str, record: ParsedRecord, edit: RecordEdit) -> Record:
    """Replace one record and return it as it is stored now. Raises the errors of `check_change`, OperationalError."""

    def work(locked: LockedStore) -> Record:
        stored = check_change(_locked(data_set, locked), record_id, record, edit)
        _keep(data_set, stored, KeptValue.ValueChange.CHANGED, edit)
        value = RecordValue(record_id, record.timestamp, record.start_at, record.end_at, str(record.body))
        _store(locked, stored, value, edit)
        _note(data_set, "changed_record", record_id, edit)
        return stored

    return with_write_lock(data_set.pk, work)


def delete(data_set: DataSet, record_id: str, edit: RecordEdit) -> None:
    """Delete one record, also from the stores that `undo` would bring back.

    Raises the errors of `check_change`, OperationalError.
    """

    def work(locked: LockedStore) -> None:
        stored = check_change(_locked(data_set, locked), record_id, None, edit)
        _keep(data_set, stored, KeptValue.ValueChange.DELETED, edit)
        segments.open_at(locked.id, locked.columns_until, [stored.timestamp])
        Record.objects.filter(store_id=locked.id, record_id=record_id).delete()
        forget_in_emptied(data_set.pk, [record_id])
        _note(data_set, "deleted_record", record_id, edit, record_count=F("record_count") - 1)

    with_write_lock(data_set.pk, work)


def restore(data_set: DataSet, kept: KeptValue, edit: RecordEdit) -> None:
    """Store a kept value again. The value that it replaces is kept. Raises NoSuchDataSet, OperationalError."""
    value = kept.value()

    def work(locked: LockedStore) -> None:
        stored = Record.objects.filter(store_id=locked.id, record_id=value.record_id).first()
        if stored is None:
            _store(locked, Record(store_id=locked.id, record_id=value.record_id), value, edit)
            _note(data_set, "restored_record", value.record_id, edit, record_count=F("record_count") + 1)
            return
        _keep(data_set, stored, KeptValue.ValueChange.CHANGED, edit)
        _store(locked, stored, value, edit)
        _note(data_set, "restored_record", value.record_id, edit)

    with_write_lock(data_set.pk, work)


def forget_in_emptied(data_set_id: int, ids: Sequence[str]) -> None:
    """Delete records from the emptied stores, so that `undo` does not bring them back. Runs under the write lock."""
    for emptied in undoable(data_set_id):
        found = Record.objects.filter(store_id=emptied.store_id, record_id__in=ids)
        timestamps = list(found.values_list("timestamp", flat=True))
        if timestamps:
            segments.open_between(emptied.store_id, [{"least": at, "greatest": at} for at in timestamps])
            found.delete()
            EmptiedStore.objects.filter(pk=emptied.pk).update(records=F("records") - len(timestamps))


def _locked(data_set: DataSet, locked: LockedStore) -> DataSet:
    data_set.current_store = None if locked.id == data_set.pk else locked.id
    return data_set


def _check_id_fields(stored: RecordValue, names: Sequence[str]) -> None:
    """Raise IdFieldsDiffer if the current rule made the `_id`. A record of an earlier rule keeps its `_id`."""
    fields = stored.fields()
    if all(name in fields for name in names) and auto_ids.make(fields, names) == stored.record_id:
        raise IdFieldsDiffer


def _keep(data_set: DataSet, stored: Record, what: KeptValue.ValueChange, edit: RecordEdit) -> None:
    kept = KeptValue(data_set_id=data_set.pk, change=what, by=edit.by.label, reason=edit.reason)
    kept.encrypt(RecordValue.of(stored))
    kept.save(force_insert=True)


def _store(locked: LockedStore, record: Record, value: RecordValue, edit: RecordEdit) -> None:
    """Give a stored or new record this value, and open the segments of both moments."""
    columns: dict[str, Any] = {**value.moments(), "body": value.body, "updated_at": timezone.now()}  # Any: of a column
    columns |= {"token_id": edit.token_id, "request_id": edit.request_id}
    before = [] if record.timestamp is None else [record.timestamp]
    for name, column in columns.items():
        setattr(record, name, column)
    segments.open_at(locked.id, locked.columns_until, [*before, record.timestamp])
    if before:
        Record.objects.filter(store_id=locked.id, record_id=value.record_id).update(**columns)
    else:
        record.save(force_insert=True)


def _note(data_set: DataSet, verb: str, record_id: str, edit: RecordEdit, **columns: object) -> None:
    """Note the change in the data set and in the audit, which has no `_id`, because it may be personal data."""
    DataSet.objects.filter(pk=data_set.pk).update(revision=F("revision") + 1, **columns)
    after = {"record": id_of_record(data_set.pk, record_id)}
    audit.record(edit.by, verb, data_set, after=after, reason=edit.reason)
