"""Answer a repeated request with the response to the first one. Source: docs/reference/sending-api.md §15.

A request claims its key before it is checked, so that only one of two equal requests is carried out. The response is
stored in the transaction of the message. A rejected request releases its key.
"""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone

from config.rest.idempotency import IdempotencyKey
from notifications import errors
from notifications.models import ApiKey, IdempotencyRecord

CLAIM_LASTS = timedelta(seconds=60)  # longer than the web server's limit of 30 s for a request
WAIT_SECONDS = 5.0
POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyClaim:
    """The claim of one request on its key. answer: the stored response to an earlier request, or None"""

    record_id: int
    claimed_until: datetime | None = None
    answer: Mapping[str, Any] | None = None  # Any: JSON

    def keep(self, answer: Mapping[str, Any]) -> None:
        """Store the response in the transaction of the message. Raises IdempotencyKeyInUse if the claim ended."""
        if not self._own_row().update(answer=answer, claimed_until=None):
            raise errors.IdempotencyKeyInUse

    def release(self) -> None:
        """Delete the claimed row. If the database is unavailable, the claim expires."""
        with suppress(DatabaseError):
            self._own_row().delete()

    def _own_row(self) -> QuerySet[IdempotencyRecord]:
        return IdempotencyRecord.objects.filter(id=self.record_id, claimed_until=self.claimed_until)


@contextmanager
def claimed(
    api_key: ApiKey,
    request: IdempotencyKey,
    *,
    lasts: timedelta = CLAIM_LASTS,
    repeats_for: timedelta | None = None,
) -> Iterator[IdempotencyClaim]:
    """Claim the key during its request. Raises IdempotencyKeyReused, IdempotencyKeyInUse.

    lasts: longer than the request may take
    repeats_for: after this time another request may use the key; by default when the stored key is deleted
    """
    claim = _claim(api_key, request, lasts, repeats_for or IdempotencyRecord.kept_for())
    try:
        yield claim
    except BaseException:
        if claim.answer is None:
            claim.release()
        raise


def _claim(api_key: ApiKey, request: IdempotencyKey, lasts: timedelta, repeats_for: timedelta) -> IdempotencyClaim:
    deadline, hashed = time.monotonic() + WAIT_SECONDS, IdempotencyRecord.hashed(request.key)
    while True:
        now = timezone.now()
        until = now + lasts
        first = {"fingerprint": request.fingerprint, "claimed_until": until, "created_at": now}
        record, is_new = IdempotencyRecord.objects.get_or_create(
            api_key=api_key, key__in=[request.key, hashed], defaults={"key": request.key, **first}
        )
        if is_new or _take_over(record, now, first, repeats_for):
            return IdempotencyClaim(record_id=record.pk, claimed_until=until)
        if record.fingerprint != request.fingerprint:
            raise errors.IdempotencyKeyReused
        if record.answer is not None:
            return IdempotencyClaim(record_id=record.pk, answer=record.answer)
        if time.monotonic() > deadline:
            raise errors.IdempotencyKeyInUse(retry_after_seconds=_seconds_left(record, now))
        time.sleep(POLL_SECONDS)


def _seconds_left(record: IdempotencyRecord, now: datetime) -> int:
    """Return when the claim ends. If its process has died, an earlier repetition gets the same error."""
    left = (record.claimed_until - now).total_seconds() if record.claimed_until else 0
    return max(math.ceil(left), 1)


def _take_over(record: IdempotencyRecord, now: datetime, first: Mapping[str, Any], repeats_for: timedelta) -> bool:
    """Claim a key that has expired, or whose request died before it had a response."""
    is_abandoned = record.claimed_until is not None and record.claimed_until < now
    is_over = record.created_at <= now - repeats_for
    if not (is_over or is_abandoned):
        return False
    unchanged = IdempotencyRecord.objects.filter(
        id=record.pk, created_at=record.created_at, claimed_until=record.claimed_until
    )
    return bool(unchanged.update(answer=None, **first))
