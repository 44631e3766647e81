"""Store the records of a POST: all or nothing. Source: Data Set contract §7, §8."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import OperationalError
from django.db.models import F
from django.utils import timezone

from datasets.errors import KeyReused, NoSuchDataSet
from datasets.models import DataSet, DataSetDay, RememberedKey
from datasets.records import ParsedRecord
from datasets.store import handful
from datasets.store.batch import Batch
from datasets.store.rows import Origin
from datasets.store.turn import in_turn, twice_at_most
from datasets.store.upsert import takes_parts, upsert


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """The key a caller sent, and what its body was."""

    key: str
    fingerprint: str


def is_replay(data_set_id: int, key: IdempotencyKey) -> bool:
    """Has this key stored this body before? Raises KeyReused where it stored another one."""
    youngest_forgotten = timezone.now() - timedelta(hours=settings.DATASETS_IDEMPOTENCY_HOURS)
    remembered = RememberedKey.objects.filter(data_set_id=data_set_id, key=key.key, created_at__gt=youngest_forgotten)
    fingerprint = remembered.values_list("fingerprint", flat=True).first()
    if fingerprint is not None and fingerprint != key.fingerprint:
        raise KeyReused
    return fingerprint is not None


def append(
    data_set_id: int,
    records: Iterable[ParsedRecord],
    *,
    token_id: int | None = None,
    request_id: UUID | None = None,
    key: IdempotencyKey | None = None,
) -> int:
    """Store the records in one transaction, and the key with them; return how many, 0 where a twin has stored them.

    records: may be checked as they are taken; where one is refused, nothing is stored
    Raises RecordsRefused, NoSuchDataSet, KeyReused, OperationalError.
    """
    batch = Batch(records)
    if takes_parts():
        batch.begin()  # most refusals need no transaction
    else:
        batch.finish()
    is_handful = handful.is_one(batch)

    def work() -> int:
        if key and is_replay(data_set_id, key):  # asked again under the lock: a twin may have been in flight
            return 0
        origin = Origin(updated_at=timezone.now(), token_id=token_id, request_id=request_id)
        store = handful.store_and_count if is_handful else _store_and_count
        stored = store(data_set_id, batch, origin)
        if key:
            _remember(data_set_id, key)
        return stored

    try:
        if is_handful and not key:  # it takes its turn by itself
            return twice_at_most(work)
        return in_turn(data_set_id, work)
    except (NoSuchDataSet, OperationalError):
        batch.finish()  # a fault of the records is told before what the store has to say
        raise


def _store_and_count(data_set_id: int, batch: Batch, origin: Origin) -> int:
    stored, new = upsert(data_set_id, batch, origin)
    DataSet.objects.filter(pk=data_set_id).update(
        record_count=F("record_count") + new, revision=F("revision") + 1, last_write_at=origin.updated_at
    )
    DataSetDay.objects.add(data_set_id, writes=1, records=stored)
    return stored


def _remember(data_set_id: int, key: IdempotencyKey) -> None:
    row = RememberedKey(data_set_id=data_set_id, key=key.key, fingerprint=key.fingerprint, created_at=timezone.now())
    # An outlived row of the same key may still be there until it is purged.
    RememberedKey.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["data_set", "key"], update_fields=["fingerprint", "created_at"]
    )
