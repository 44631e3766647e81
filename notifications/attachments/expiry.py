"""Delete expired and withdrawn files: first their blobs, then their data in the row, and after a year the row.

Every request checks the expiry itself, so a late clean-up gives no access. Source: docs/reference/files.md §8, §10.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

import structlog
from django.utils import timezone

from config.jobs.registry import Batch
from notifications.attachments import missing, store
from notifications.models import Attachment, LogExportPart

log = structlog.get_logger()

BATCH = 50  # files between two reports of progress; their blobs are deleted one by one
LOOKED_UP_AT_ONCE = 500
STORE_IS_AWAY_AFTER = 3  # failures in a row, each as long as the store's time-outs
ORPHAN_AFTER = timedelta(hours=24)  # a blob is written before its row
AWAY = "the file store is unavailable"


def remove_due() -> Iterator[Batch]:
    """Delete expired and withdrawn files in batches. Two runs at the same time, or a killed run, are safe."""
    failed: list[UUID] = []
    is_away = False
    while not is_away:
        now = timezone.now()
        due = Attachment.objects.to_remove(now).exclude(pk__in=failed).order_by("expires_at")
        batch = list(due.values_list("pk", "storage_name")[:BATCH])
        if not batch:
            break
        gone, kept, is_away = _delete_blobs(batch)
        removed = Attachment.objects.filter(pk__in=gone).mark_removed(now)
        failed += kept
        log.info("attachments.removed", removed=removed, errors=len(kept))
        yield _batch(removed, AWAY if is_away else _stayed(len(failed)))


def remove_orphans(older_than: timedelta = ORPHAN_AFTER) -> Iterator[Batch]:
    """Delete blobs without a row, and give up rows whose blob is lost. Raises store.StoreAway.

    older_than: the minimum age of both, because a blob is written before its row, and a lost folder may come back.
    """
    started_at = timezone.now()
    names = store.names()
    stayed = 0
    for some in _batches(names):
        known = set(
            Attachment.objects.filter(storage_name__in=some, deleted_at=None).values_list("storage_name", flat=True)
        ) | set(LogExportPart.objects.filter(storage_name__in=some).values_list("storage_name", flat=True))
        removed = errors = 0
        for name in set(some) - known:
            try:
                removed += _remove_orphan(name, written_before=started_at - older_than)
            except store.StoreAway:
                errors += 1
        if removed or errors:
            log.info("attachments.orphans_removed", removed=removed, errors=errors)
            stayed += errors
            yield _batch(removed, _stayed(stayed))
    lost = missing.settle(set(names), seen_at=started_at, older_than=older_than)
    if lost:
        yield _batch(lost)


def _batch(removed: int, error: str = "") -> Batch:
    return Batch(label="files", number=removed, error=error)


def _stayed(number: int) -> str:
    return f"{number} could not be deleted: the file store failed" if number else ""


def _delete_blobs(batch: Sequence[tuple[UUID, str]]) -> tuple[list[UUID], list[UUID], bool]:
    """Return the files whose blob was deleted, the other files, and whether the store is unavailable."""
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


def _batches(names: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(names)
    while some := list(islice(rest, LOOKED_UP_AT_ONCE)):
        yield some
