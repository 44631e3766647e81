"""Where the blobs are: a folder, or an object store. Source: Files sent by email §8.

Whatever the store says when it is not well, here it is one of two things: it is away, or it has no such blob.
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

DISCARD_SECONDS = 1.0  # a caller is waiting: what a slow store has not removed by then goes on behind the answer

_discarding = ThreadPoolExecutor(2, thread_name_prefix="discard")


class StoreAway(Exception):
    """The store does not answer, is full, or refuses us."""


class BlobMissing(Exception):
    """The store is well and has no blob of that name."""


def new_name() -> str:
    """Return a fresh name: 32 hex digits that have nothing to do with any id."""
    return uuid4().hex


def write(name: str, blob: bytes) -> None:
    """Store one blob under a fresh name; when this returns it survives. Raises StoreAway."""
    try:
        with _told():
            _storage().save(name, ContentFile(blob))
    except FileNotFoundError as error:  # a folder that cannot be made
        raise StoreAway from error


class Written:
    """Blobs that are there, and whether they are to stay."""

    is_kept = False

    def keep(self) -> None:
        self.is_kept = True


@contextmanager
def written(blobs: Mapping[str, bytes]) -> Iterator[Written]:
    """Store every blob by its name, and take all of them away again unless the block says to keep them.

    Raises StoreAway.
    """
    fate = Written()
    try:
        for name, blob in blobs.items():
            write(name, blob)
        yield fate
    finally:
        if blobs and not fate.is_kept:
            discard(blobs)


def read(name: str) -> bytes:
    """Return a whole blob. Raises BlobMissing, StoreAway."""
    try:
        with _told(), _storage().open(name) as file:
            blob: bytes = file.read()
            return blob
    except FileNotFoundError as error:
        raise BlobMissing(name) from error


def delete(name: str) -> None:
    """Remove a blob; that there is none is fine. Raises StoreAway."""
    with _told(), suppress(FileNotFoundError):
        _storage().delete(name)


def discard(names: Iterable[str]) -> None:
    """Remove what was written for nothing, as well as can be: the orphans' sweep finds what is left."""
    with suppress(TooSlow):
        _discarding.submit(_discard, list(names)).result(DISCARD_SECONDS)


def names() -> list[str]:
    """Return the names of all blobs. Raises StoreAway."""
    with _told():
        return list(_storage().listdir("")[1])


def written_at(name: str) -> datetime | None:
    """Return when a blob was written, None where it is gone. Raises StoreAway."""
    with _told(), suppress(FileNotFoundError):
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
def _told() -> Iterator[None]:
    """Say StoreAway for every trouble but a missing blob."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreAway from error
