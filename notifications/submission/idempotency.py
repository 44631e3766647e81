"""Answer a repeated request with the first answer. Source: the sending contract §15.

A key is claimed before the request is judged, so that of two at once only one is; the answer is written in the
transaction of the message itself. A refused request gives its key back.
"""

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone

from notifications import errors
from notifications.models import ApiKey, IdempotencyRecord
from notifications.models.idempotency import KEPT_FOR

CLAIM_HOLDS_FOR = timedelta(seconds=60)  # outlives the web server's own limit of 30 s on a request
WAIT_SECONDS = 5.0
POLL_SECONDS = 0.05

_PRINTABLE = re.compile(r"\A[ -~]{1,255}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to answer one key; `answer` is what an earlier request was told, or None."""

    record_id: int
    claimed_until: datetime | None = None
    answer: Mapping[str, Any] | None = None  # Any: JSON

    def keep(self, answer: Mapping[str, Any]) -> None:
        """Store the answer, in the transaction of what it tells of. Raises IdempotencyKeyInUse where it is too late."""
        if not self._mine().update(answer=answer, claimed_until=None):
            raise errors.IdempotencyKeyInUse

    def release(self) -> None:
        """Give the key back. Where the database is away the claim runs out by itself."""
        with suppress(DatabaseError):
            self._mine().delete()

    def _mine(self) -> QuerySet[IdempotencyRecord]:
        return IdempotencyRecord.objects.filter(id=self.record_id, claimed_until=self.claimed_until)


def check_key(key: str) -> None:
    """Raises IdempotencyKeyMalformed. A blank is printable, so it may stand within a key."""
    if not _PRINTABLE.match(key):
        raise errors.IdempotencyKeyMalformed


def fingerprint(path: str, value: object) -> str:
    """Return what tells one request from another; the order of names and white space do not count.

    >>> fingerprint("/sms", {"a": 1, "b": 2}) == fingerprint("/sms", {"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps([path, value], sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@contextmanager
def claimed(api_key: ApiKey, key: str, request: str) -> Iterator[Claim]:
    """Hold the key while its request is answered; `request` is a fingerprint.

    Raises IdempotencyKeyReused, IdempotencyKeyInUse.
    """
    claim = _claim(api_key, key, request)
    if claim.answer is not None:
        yield claim
        return
    try:
        yield claim
    except BaseException:
        claim.release()
        raise


def _claim(api_key: ApiKey, key: str, request: str) -> Claim:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        now = timezone.now()
        until = now + CLAIM_HOLDS_FOR
        record, is_new = IdempotencyRecord.objects.get_or_create(
            api_key=api_key, key=key, defaults={"fingerprint": request, "claimed_until": until, "created_at": now}
        )
        if is_new or _take_over(record, request, now, until):
            return Claim(record_id=record.id, claimed_until=until)
        if record.fingerprint != request:
            raise errors.IdempotencyKeyReused
        if record.answer is not None:
            return Claim(record_id=record.id, answer=record.answer)
        if time.monotonic() > deadline:
            raise errors.IdempotencyKeyInUse
        time.sleep(POLL_SECONDS)


def _take_over(record: IdempotencyRecord, request: str, now: datetime, until: datetime) -> bool:
    """Take a key whose day is over, or whose request died in the middle."""
    is_over = record.created_at < now - KEPT_FOR
    is_abandoned = record.claimed_until is not None and record.claimed_until < now
    if not (is_over or is_abandoned):
        return False
    unchanged = IdempotencyRecord.objects.filter(
        id=record.id, created_at=record.created_at, claimed_until=record.claimed_until
    )
    changed = unchanged.update(fingerprint=request, answer=None, claimed_until=until, created_at=now)
    return changed == 1
