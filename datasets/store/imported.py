"""Store one batch of an import, and count new records. Source: docs/reference/imports.md §6."""

from collections.abc import Sequence

from django.utils import timezone

from datasets.records import ParsedRecord
from datasets.store.append import store_and_count
from datasets.store.batch import RecordBatch
from datasets.store.rows import SharedColumns
from datasets.store.upsert import Stored
from datasets.store.write_lock import LockedStore, with_write_lock


def store_batch(data_set_id: int, records: Sequence[ParsedRecord], *, token_id: int | None) -> Stored:
    """Store the records in one transaction, or in that of the caller. Raises NoSuchDataSet, OperationalError."""
    batch = RecordBatch(records)
    batch.finish()
    origin = SharedColumns(updated_at=timezone.now(), token_id=token_id, request_id=None)

    def work(locked: LockedStore) -> Stored:
        return store_and_count(data_set_id, locked, batch, origin)

    return with_write_lock(data_set_id, work)
