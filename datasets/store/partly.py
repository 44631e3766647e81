"""Store the valid records of a POST, and keep the others. Source: docs/reference/data-sets.md §21."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from config.rest.idempotency import IdempotencyKey
from datasets.models import AccessToken, DataSet, RejectedRecord
from datasets.records import ParsedRecord
from datasets.records.keeping import RejectedElement, RejectedElements
from datasets.store.append import append, is_replay, remember, store_and_count
from datasets.store.batch import RecordBatch
from datasets.store.rows import SharedColumns
from datasets.store.write_lock import LockedStore, with_write_lock


def append_valid(
    token: AccessToken,
    records: Iterable[ParsedRecord],
    rejected: RejectedElements,
    *,
    request_id: UUID | None,
    key: IdempotencyKey | None,
) -> bool:
    """Store the records in one transaction with the rejected ones, which are known once all records are validated.

    Return False if a request with the same key and body has done it. Raises NoSuchDataSet, KeyReused, OperationalError.
    """
    batch = RecordBatch(records)
    valid = batch.finish()
    data_set_id = token.data_set_id
    if not rejected.refused:
        has_segments = token.data_set.columns_until is not None
        return bool(
            append(data_set_id, valid, token_id=token.pk, request_id=request_id, key=key, has_segments=has_segments)
        )

    now = timezone.now()
    rows = [_row(token, element, now, request_id) for element in rejected.kept]  # 10,000 take a second to encrypt

    def work(locked: LockedStore) -> bool:
        if key and is_replay(data_set_id, key):
            return False
        if valid:
            origin = SharedColumns(updated_at=timezone.now(), token_id=token.pk, request_id=request_id)
            store_and_count(data_set_id, locked, batch, origin)
        RejectedRecord.objects.keep(data_set_id, rows)
        if key:
            remember(data_set_id, key)
        return True

    return with_write_lock(data_set_id, work)


def _row(token: AccessToken, element: RejectedElement, now: datetime, request_id: UUID | None) -> RejectedRecord:
    row = RejectedRecord(
        data_set_id=token.data_set_id, at=now, index=element.index, by=token.prefix, request_id=request_id
    )
    row.encrypt(element)
    return row


def retry(data_set: DataSet, corrected: Mapping[UUID, ParsedRecord]) -> int:
    """Store corrected records instead of rejected ones, and return their number. Call it in a transaction.

    corrected: by the id of the rejected record. One that somebody else has stored or deleted meanwhile is left out.
    Raises NoSuchDataSet, OperationalError.
    """
    rows = RejectedRecord.objects.filter(data_set_id=data_set.pk, pk__in=list(corrected))
    found = set(rows.select_for_update().values_list("pk", flat=True))
    records = [record for pk, record in corrected.items() if pk in found]
    if records:
        append(data_set.pk, records, has_segments=data_set.columns_until is not None)
        rows.filter(pk__in=found).delete()
    return len(records)
