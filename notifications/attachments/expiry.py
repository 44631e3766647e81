"""Files go in time: their blobs first, then what the row says of them, and after a year the row.

Expiry itself is tested at every request; what is here only carries it out. Source: Files sent by email §8, §10.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

import structlog
from django.utils import timezone

from notifications.attachments import store
from notifications.models import Attachment

log = structlog.get_logger()

BATCH = 500
RUN_SECONDS = 600  # then the next run goes on
STORE_IS_AWAY_AFTER = 3  # failures in a row; each may take the time-outs of the store
ORPHAN_AFTER = timedelta(hours=24)  # a blob is written a moment before its row
NAMED_IN_LOG = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What one run did. errors: files that stay for the next run."""

    removed: int = 0
    errors: int = 0


def remove_due() -> Removal:
    """Remove every file past its last day or withdrawn, in batches. Safe when run twice at once, or killed."""
    ends_at = time.monotonic() + RUN_SECONDS
    removed = 0
    failed: list[UUID] = []
    while time.monotonic() < ends_at:
        now = timezone.now()
        due = Attachment.objects.to_remove(now).exclude(pk__in=failed).order_by("expires_at")
        batch = list(due.values_list("pk", "storage_name")[:BATCH])
        gone, kept, is_away = _delete_blobs(batch)
        removed += Attachment.objects.filter(pk__in=gone).mark_removed(now)
        failed += kept
        if not batch or is_away:
            break
    if removed or failed:
        log.info("attachments.removed", removed=removed, errors=len(failed))
    return Removal(removed=removed, errors=len(failed))


def remove_orphans(older_than: timedelta = ORPHAN_AFTER) -> Removal:
    """Remove blobs that no row speaks of, and tell of rows whose blob is gone before its time.

    A row without its blob stays: its page says that something is wrong, which a folder that is not mounted must not
    turn into "no longer available" for ever. Past its last day it is removed like any other.
    """
    started_at = timezone.now()
    names = store.names()
    removed = errors = 0
    for some in _batches(names):
        known = set(
            Attachment.objects.filter(storage_name__in=some, deleted_at=None).values_list("storage_name", flat=True)
        )
        for name in set(some) - known:
            try:
                removed += _remove_orphan(name, written_before=started_at - older_than)
            except store.StoreAway:
                errors += 1
    _tell_of_missing(set(names), written_before=started_at)
    if removed or errors:
        log.info("attachments.orphans_removed", removed=removed, errors=errors)
    return Removal(removed=removed, errors=errors)


def _delete_blobs(batch: Sequence[tuple[UUID, str]]) -> tuple[list[UUID], list[UUID], bool]:
    """Return whose blobs are gone, whose are not, and whether the store is away altogether."""
    gone: list[UUID] = []
    kept: list[UUID] = []
    in_a_row = 0
    for pk, name in batch:
        try:
            store.delete(name)
        except store.StoreAway as error:
            log.warning("attachment.not_removed", attachment_id=str(pk), error=type(error.__cause__).__name__)
            kept.append(pk)
            in_a_row += 1
            if in_a_row == STORE_IS_AWAY_AFTER:
                return gone, kept, True
        else:
            gone.append(pk)
            in_a_row = 0
    return gone, kept, False


def _remove_orphan(name: str, *, written_before: datetime) -> int:
    written_at = store.written_at(name)
    if written_at is None or written_at > written_before:
        return 0
    store.delete(name)
    return 1


def _tell_of_missing(names: set[str], *, written_before: datetime) -> None:
    alive = Attachment.objects.filter(deleted_at=None, withdrawn_at=None, expires_at__gt=written_before)
    rows = alive.filter(created_at__lt=written_before).values_list("pk", "storage_name")
    missing = [str(pk) for pk, name in rows.iterator(BATCH) if name not in names]
    if missing:
        log.error("attachments.blobs_missing", count=len(missing), attachment_ids=missing[:NAMED_IN_LOG])


def _batches(names: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(names)
    while some := list(islice(rest, BATCH)):
        yield some
