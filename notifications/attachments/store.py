"""The store of blobs: a folder or an object store. Source: docs/reference/files.md §8.

Every error of the storage becomes one of two errors: the store is unavailable, or it has no such blob.
"""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from contextlib import contextmanager, suppress
from datetime import datetime
from uuid import uuid4

import structlog
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

log = structlog.get_logger()

DISCARD_SECONDS = 1.0  # a request waits; after this time, the deletion continues in the background

_discarding = ThreadPoolExecutor(2, thread_name_prefix="discard")


class StoreAway(Exception):
    """The store does not answer, is full, or rejects its credentials."""


class BlobMissing(Exception):
    """The store works and has no blob of that name."""


def new_name() -> str:
    """Return a random name of 32 hex digits."""
    return uuid4().hex


def write(name: str, blob: bytes) -> None:
    """Store one blob under a new name. It is durable when this returns. Raises StoreAway."""
    try:
        with _as_store_away():
            _storage().save(name, ContentFile(blob))
    except FileNotFoundError as error:  # the folder cannot be created
        raise StoreAway from error


class Written:
    """Stored blobs. They are deleted unless `is_kept` becomes true."""

    is_kept = False

    def keep(self) -> None:
        self.is_kept = True


@contextmanager
def written(blobs: Mapping[str, bytes]) -> Iterator[Written]:
    """Store blobs by name, and delete all of them again unless the block sets `is_kept`.

    Raises StoreAway.
    """
    stored = Written()
    try:
        for name, blob in blobs.items():
            write(name, blob)
        yield stored
    finally:
        if blobs and not stored.is_kept:
            discard(blobs)


def read(name: str) -> bytes:
    """Return a whole blob. Raises BlobMissing, StoreAway."""
    try:
        with _as_store_away(), _storage().open(name) as file:
            blob: bytes = file.read()
            return blob
    except FileNotFoundError as error:
        raise BlobMissing(name) from error


def delete(name: str) -> None:
    """Delete a blob, if it exists. Raises StoreAway."""
    with _as_store_away(), suppress(FileNotFoundError):
        _storage().delete(name)


def discard(names: Iterable[str]) -> None:
    """Delete unused blobs if possible. The clean-up of orphans deletes the rest."""
    with suppress(TooSlow):
        _discarding.submit(_discard, list(names)).result(DISCARD_SECONDS)


def names() -> list[str]:
    """Return the names of all blobs. Raises StoreAway."""
    with _as_store_away():
        return list(_storage().listdir("")[1])


def written_at(name: str) -> datetime | None:
    """Return when a blob was written, or None if it is gone. Raises StoreAway."""
    with _as_store_away(), suppress(FileNotFoundError):
        return _storage().get_modified_time(name)
    return None


def _storage() -> Storage:
    return storages["attachments"]


def _discard(names: list[str]) -> None:
    for name in names:
        try:
            delete(name)
        except StoreAway as error:
            log.warning("attachment.not_discarded", storage_name=name, error=type(error.__cause__).__name__)
            return


@contextmanager
def _as_store_away() -> Iterator[None]:
    """Raise StoreAway for every error of the storage except a missing blob."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreAway from error
