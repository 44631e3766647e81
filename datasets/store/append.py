"""Store all records of a POST, or none. Source: docs/reference/data-sets.md §7, §8."""

from collections.abc import Iterable
from uuid import UUID

from django.db import OperationalError
from django.db.models import F
from django.utils import timezone

from config.databases.races import twice_at_most
from config.rest.idempotency import IdempotencyKey
from datasets.columns import segments
from datasets.errors import KeyReused, NoSuchDataSet
from datasets.models import DataSet, DataSetDay, RememberedKey
from datasets.records import ParsedRecord
from datasets.store import handful
from datasets.store.batch import RecordBatch
from datasets.store.replaced import moments_before
from datasets.store.rows import SharedColumns
from datasets.store.upsert import Stored, takes_parts, upsert
from datasets.store.write_lock import LockedStore, with_write_lock


def is_replay(data_set_id: int, key: IdempotencyKey) -> bool:
    """Return whether this key has stored this body before. Raises KeyReused if it stored another body."""
    remembered = RememberedKey.objects.filter(data_set_id=data_set_id, key=key.key).first()
    if remembered is None or remembered.is_over:
        return False
    if remembered.fingerprint != key.fingerprint:
        raise KeyReused
    return True


def append(
    data_set_id: int,
    records: Iterable[ParsedRecord],
    *,
    token_id: int | None = None,
    request_id: UUID | None = None,
    key: IdempotencyKey | None = None,
    has_segments: bool = False,
) -> int:
    """Store the records and the key in one transaction and return the number of records.

    Return 0 if a request with the same key and body has stored them. `records` may be a generator that validates them;
    if it rejects one, nothing is stored.
    has_segments: whether the data set had segments when it was read; it decides only what is tried first
    Raises RecordsRejected, NoSuchDataSet, KeyReused, OperationalError.
    """
    batch = RecordBatch(records)
    if takes_parts():
        batch.begin()  # most rejected bodies are found before a transaction begins
    else:
        batch.finish()
    is_handful = handful.is_one(batch)

    def origin() -> SharedColumns:
        return SharedColumns(updated_at=timezone.now(), token_id=token_id, request_id=request_id)

    def at_once() -> int | None:
        if has_segments:
            return handful.store_later(data_set_id, batch, origin())
        return handful.store_and_count(data_set_id, batch, origin())

    def work(locked: LockedStore) -> int:
        if key and is_replay(data_set_id, key):  # again, under the lock: an equal request may have ended
            return 0
        if is_handful:
            stored = _store_handful(data_set_id, locked, batch, origin())
        else:
            stored = store_and_count(data_set_id, locked, batch, origin()).records
        if key:
            remember(data_set_id, key)
        return stored

    try:
        if is_handful and not key:  # the statement itself takes the lock
            stored = twice_at_most(at_once)
            if stored is not None:
                return stored
        return with_write_lock(data_set_id, work)
    except (NoSuchDataSet, OperationalError):
        batch.finish()  # rejections come before store errors in the contract
        raise


def _store_handful(data_set_id: int, locked: LockedStore, batch: RecordBatch, origin: SharedColumns) -> int:
    if locked.columns_until is not None:
        records = batch.finish()
        replaced = moments_before(locked, [record.id for record in records])
        segments.open_at(locked.id, locked.columns_until, [*replaced, *(record.timestamp for record in records)])
    return handful.store_and_count(data_set_id, batch, origin, with_segments=True) or 0


def store_and_count(data_set_id: int, locked: LockedStore, batch: RecordBatch, origin: SharedColumns) -> Stored:
    """Upsert the records of a locked data set, and count them. Raises RecordsRejected."""
    stored, new = upsert(locked, batch, origin)
    DataSet.objects.filter(pk=data_set_id).update(
        record_count=F("record_count") + new, revision=F("revision") + 1, last_write_at=origin.updated_at
    )
    DataSetDay.objects.add(data_set_id, writes=1, records=stored)
    return Stored(stored, new)


def remember(data_set_id: int, key: IdempotencyKey) -> None:
    row = RememberedKey(data_set_id=data_set_id, key=key.key, fingerprint=key.fingerprint)
    # An expired row of the same key may exist until the clean-up deletes it.
    RememberedKey.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["data_set", "key"], update_fields=["fingerprint", "created_at"]
    )
