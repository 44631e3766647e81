"""The database backend for SQLite: Django's backend with a lock that writers wait for. Django needs this module name.

SQLite admits one writer at a time. The others retry after 1, 2, 5, and finally 100 ms: of 16 callers, one waited for
most of a second while no transaction was open. With WriteLock the threads of a process wait for each other, and only
one of them polls for other processes, every half millisecond. If the lock cannot be had, SQLite decides as before.
Source: docs/reference/security.md §12.
docs/framework-internals.md lists the private attributes of the framework that this module uses.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from typing import Any

from django.db.backends.sqlite3 import base

LOCK_SUFFIX = "-write-lock"
DATABASE_SUFFIXES = ("", "-wal", "-shm")
POLL_SECONDS = 0.000_5


class WriteLock:
    """A lock that threads and processes of one machine share: the process locks the empty file at `path`."""

    def __init__(self, path: str) -> None:
        self._threads = threading.RLock()
        self._owner: int | None = None  # the id of the thread that has the lock or polls for it
        self._file: int | None = None
        with suppress(OSError):  # the folder is not writable: only the threads of this process wait for each other
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def acquire(self, seconds: float) -> bool:
        """Wait up to `seconds` for the lock and return whether this thread got it.

        Call `release` in either case, after an exception too.
        """
        until = time.monotonic() + seconds
        if not self._threads.acquire(timeout=seconds):
            return False
        self._owner = threading.get_ident()
        while self._file is not None and not _lock(self._file):
            if time.monotonic() >= until:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def release(self) -> None:
        """Release the lock if this thread has it or waits for it."""
        if self._owner != threading.get_ident():
            return
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._owner = None
        self._threads.release()

    def discard(self) -> None:
        """Close the file in a forked process without unlocking it, because the lock belongs to the parent."""
        self._owner = None
        if self._file is not None:
            os.close(self._file)
            self._file = None


_write_locks: list[WriteLock] = []


@cache
def write_lock_at(path: str) -> WriteLock:
    lock = WriteLock(path)
    _write_locks.append(lock)
    return lock


def _discard_locks() -> None:
    while _write_locks:
        _write_locks.pop().discard()
    write_lock_at.cache_clear()


os.register_at_fork(after_in_child=_discard_locks)


def _lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection; a transaction waits for the write lock. Statements outside a transaction do not."""

    _write_lock: WriteLock | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # Any: untyped in Django
        """Connect, and restrict the files of an older version to their owner. New files are created like that."""
        for path in (f"{self.settings_dict['NAME']}{suffix}" for suffix in DATABASE_SUFFIXES):
            with suppress(OSError):
                if os.stat(path).st_mode & 0o077:
                    os.chmod(path, 0o600)
        return super().get_new_connection(conn_params)

    def _start_transaction_under_autocommit(self) -> None:
        name, seconds = self.settings_dict["NAME"], self.settings_dict["OPTIONS"]["timeout"]
        if not self.is_in_memory_db() and not str(name).startswith("file:"):  # a URI is not a path
            self._write_lock = write_lock_at(f"{os.path.abspath(name)}{LOCK_SUFFIX}")
        try:
            is_locked = self._write_lock is None or self._write_lock.acquire(seconds)
            with nullcontext() if is_locked else self._without_busy_timeout(seconds):
                super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in django-stubs
        except BaseException:
            self._release_write_lock()
            raise

    @contextmanager
    def _without_busy_timeout(self, seconds: float) -> Iterator[None]:
        """Make SQLite answer at once, because the time-out was used up by waiting for the lock."""
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def _commit(self) -> Any:  # Any: untyped in Django
        try:
            return super()._commit()  # type: ignore[misc]  # not in django-stubs
        finally:
            self._release_write_lock()

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]  # not in django-stubs
        finally:
            self._release_write_lock()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]  # not in django-stubs
        finally:
            self._release_write_lock()

    def _release_write_lock(self) -> None:
        if self._write_lock is not None:
            lock, self._write_lock = self._write_lock, None
            lock.release()
