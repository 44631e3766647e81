"""Read from a replica of PostgreSQL, or from the primary if the replica is away or late.

Exports and reads of data sets may be some seconds old. Tokens, limits, claims and messages are always read from the
primary. Source: docs/reference/running.md §13.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, DatabaseError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

ALIAS = "replica"
MOST_LAG_SECONDS = 10
CHECKED_SECONDS = 2.0
READS_OF_PRIMARY = 2  # in each process; further reads would take the primary from those who send
WAIT_SECONDS = 5.0
# The clock renews this row every 5 s, so the replica's row shows how old its data is. PostgreSQL's own lag is 0
# on a replica that has lost its primary.
_BEAT = "SELECT seen_at FROM process_presence WHERE name = 'clock'"

Line = TypeVar("Line")

_alias: ContextVar[str | None] = ContextVar("replica_alias", default=None)  # None: outside of `reads`
_primary_reads = threading.BoundedSemaphore(READS_OF_PRIMARY)


class Router:
    """Send the queries inside `reads` to the database that it has chosen, and every write to the primary."""

    def db_for_read(self, model: Any, **hints: Any) -> str | None:  # Any: Django's signature
        return _alias.get()

    def db_for_write(self, model: Any, **hints: Any) -> str:  # Any: Django's signature
        return DEFAULT_DB_ALIAS

    def allow_relation(self, first: Any, second: Any, **hints: Any) -> bool:  # Any: Django's signature
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:  # Any: Django's signature
        return False if db == ALIAS else None


@contextmanager
def reads() -> Iterator[None]:
    """Let the block read from the replica.

    If the replica is away or late, two blocks at once read from the primary. Raises OperationalError if they take too
    long. Without DATABASE_REPLICA_URL every block reads from the primary.
    """
    if _alias.get() is not None:
        yield
        return
    with _chosen() as alias, _reading(alias):
        yield


def read_from(lines: Iterator[Line]) -> Iterator[Line]:
    """Return an iterator over the lines of a response, which read the database as inside `reads`.

    Call it outside of `reads`: each counts as one read. Raises OperationalError at once, while the answer can still be
    503. The end of the iteration, `close` or a dropped iterator ends the read.
    """
    reading = _read_from(lines)
    next(reading)
    return cast("Iterator[Line]", reading)  # only the first value, read above, is None


def _read_from(lines: Iterator[Line]) -> Iterator[Line | None]:
    with _chosen() as alias:
        yield None
        while True:
            try:
                with _reading(alias):
                    line = next(lines)
            except StopIteration:
                return
            yield line


def connection() -> BaseDatabaseWrapper:
    """Return the connection for hand-written SQL: that of the replica inside `reads`, else that of the primary."""
    found: BaseDatabaseWrapper = connections[_alias.get() or DEFAULT_DB_ALIAS]
    return found


def lag_seconds() -> float | None:
    """Return by how much the replica is behind, infinity if it does not answer, or None if there is none."""
    if ALIAS not in connections.settings:
        return None
    try:
        theirs = _beat(ALIAS)
    except DatabaseError:
        return float("inf")
    ours = _beat(DEFAULT_DB_ALIAS)
    if ours is None:
        return 0.0
    return max(0.0, (ours - theirs).total_seconds()) if theirs else float("inf")


@contextmanager
def _chosen() -> Iterator[str | None]:
    """Yield the alias of the database to read from, None without a replica. Raises OperationalError."""
    if ALIAS not in connections.settings:
        yield None
        return
    if _health.is_good():
        yield ALIAS
        return
    if not _primary_reads.acquire(timeout=WAIT_SECONDS):
        raise OperationalError("the replica is away, and others read from the primary")
    try:
        yield DEFAULT_DB_ALIAS
    finally:
        _primary_reads.release()


@contextmanager
def _reading(alias: str | None) -> Iterator[None]:
    token = _alias.set(alias)
    try:
        yield
    finally:
        _alias.reset(token)


def _beat(alias: str) -> datetime | None:
    with connections[alias].cursor() as cursor:
        cursor.execute(_BEAT)
        row = cursor.fetchone()
    return row[0] if row else None


class _Health:
    """Whether the replica is in time, as one thread has found within CHECKED_SECONDS."""

    def __init__(self) -> None:
        self._is_good = True
        self._checked_at = float("-inf")
        self._checking = threading.Lock()

    def is_good(self) -> bool:
        is_old = time.monotonic() - self._checked_at > CHECKED_SECONDS
        if is_old and self._checking.acquire(blocking=False):
            try:
                lag = lag_seconds()
                self._is_good = lag is not None and lag <= MOST_LAG_SECONDS
                self._checked_at = time.monotonic()
            finally:
                self._checking.release()
        return self._is_good


_health = _Health()
