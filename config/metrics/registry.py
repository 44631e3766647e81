"""The counters and histograms of /metrics, and other counts that a process keeps in memory for some seconds.

Every FLUSH_SECONDS each process adds its counts to rows that all processes share. So /metrics is right with any number
of processes on any number of machines. A process that is killed loses at most FLUSH_SECONDS of its counts.
The multi-process mode of prometheus_client shares files on one machine only, and a machine that runs only workers has
no web server for Prometheus.
No label may hold a recipient, the name of a service or data set, or a key. Source: docs/reference/running.md §13.
"""

import atexit
import collections
import json
import threading
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

import structlog
from django.db import DatabaseError, connection, transaction

Key = TypeVar("Key", bound=Hashable)

FLUSH_SECONDS = 5
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, float("inf"))

_ADD = """
    INSERT INTO metric_value (name, labels, value) VALUES {rows}
    ON CONFLICT (name, labels) DO UPDATE SET value = metric_value.value + excluded.value
"""

log = structlog.get_logger()


class PendingCounts(Generic[Key]):
    """Counts by key that this process has not stored yet.

    If each request updated a shared row, requests would wait for one another's row lock.

    max_keys: further keys are not counted until the counts are stored
    """

    def __init__(self, *, max_keys: int | None = None) -> None:
        self._counts: collections.Counter[Key] = collections.Counter()
        self._max_keys = max_keys
        self._lock = threading.Lock()

    def add(self, key: Key, number: float = 1) -> None:
        with self._lock:
            if self._max_keys is None or key in self._counts or len(self._counts) < self._max_keys:
                self._counts[key] += number  # type: ignore[assignment]  # a Counter also adds up seconds

    def take(self) -> collections.Counter[Key]:
        """Return the counts and set them to zero."""
        with self._lock:
            counts, self._counts = self._counts, collections.Counter()
        return counts

    def give_back(self, counts: collections.Counter[Key]) -> None:
        """Add counts that could not be stored."""
        with self._lock:
            self._counts.update(counts)


@contextmanager
def storing(give_back: Callable[[], None]) -> Iterator[None]:
    """Store counts in one transaction; call `give_back` if the database refuses.

    Raises DatabaseError if not even the transaction begins, because the block cannot be left out.
    """
    has_begun = False
    try:
        with transaction.atomic():
            has_begun = True
            yield
    except DatabaseError as error:
        log.debug("counts.kept", error=type(error).__name__)
        give_back()
        if not has_begun:
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """Counts events by labels.

    former_name: a name that `/metrics` shows too, for one release
    zeros: the labels that `/metrics` shows as 0 before their first event. Prometheus sees no increase in a series that
           begins with 50, so an alert about a rare event would miss the first ones
    """

    name: str
    help: str
    labels: tuple[str, ...]
    former_name: str = ""
    zeros: tuple[tuple[str, ...], ...] = ()

    def add(self, *values: str, number: float = 1) -> None:
        _pending.add((self.name, values), number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts durations by bucket and labels, and adds them up."""

    name: str
    help: str
    labels: tuple[str, ...]

    def observe(self, *values: str, seconds: float) -> None:
        bucket = BUCKETS[bisect_left(BUCKETS, seconds)]
        _pending.add((self.name, (*values, str(bucket))))
        _pending.add((f"{self.name}_sum", values), seconds)


_pending: PendingCounts[tuple[str, tuple[str, ...]]] = PendingCounts()  # by name and label values

_CHANNELS, _KEY_TYPES = ("email", "sms"), ("live", "team", "test")

REQUESTS = Histogram(name="signalbox_request_seconds", help="Duration of requests", labels=("area", "route", "status"))
ATTEMPTS = Histogram(
    name="signalbox_attempt_seconds", help="Duration of attempts to send a message", labels=("provider", "outcome")
)
MESSAGES = Counter(
    name="signalbox_messages",
    help="Messages that reached a status",
    labels=("channel", "key_type", "status"),
    zeros=tuple(product(_CHANNELS, _KEY_TYPES, ("technical-failure",))),
)
EXPIRED = Counter(
    name="signalbox_messages_expired",
    help="Messages that expired before a provider accepted them",
    labels=("channel", "key_type"),
    zeros=tuple(product(_CHANNELS, _KEY_TYPES)),
)
LIMITED_REQUESTS = Counter(
    name="signalbox_limited_requests",
    help="Requests that exceeded a limit",
    labels=("limit",),
    former_name="signalbox_refusals",
    zeros=(
        ("requests a minute",),
        ("email a day",),
        ("sms a day",),
        ("international_sms a day",),
        ("messages of a key a day",),
        ("tries of a file",),
    ),
)
RECORDS = Counter(
    name="signalbox_records",
    help="Records stored or rejected",
    labels=("outcome",),
    zeros=(("written",), ("refused",)),
)
COLUMN_FILES = Counter(
    name="signalbox_column_files",
    help="Column files written, and files found damaged",
    labels=("outcome",),
    zeros=(("built",), ("outdated",), ("damaged",)),
)
QUERIES = Counter(
    name="signalbox_queries",
    help="Grouped, sorted and filtered reads of data sets",
    labels=("engine", "outcome"),
    zeros=(("row_store", "answered"), ("column_files", "answered")),
)
CALLBACKS = Counter(
    name="signalbox_callback_attempts",
    help="Attempts to deliver a callback",
    labels=("outcome",),
    zeros=(("none",),),
)
LATE = Counter(name="signalbox_data_sets_turned_late", help="Data sets that became late", labels=(), zeros=((),))
UNREADABLE = Counter(
    name="signalbox_unreadable_values",
    help="Stored values that FIELD_KEYS cannot decrypt",
    labels=("column",),
    zeros=(("apikey.encrypted_secret",),),
)

METRICS: tuple[Counter | Histogram, ...] = (
    REQUESTS,
    ATTEMPTS,
    MESSAGES,
    EXPIRED,
    LIMITED_REQUESTS,
    RECORDS,
    COLUMN_FILES,
    QUERIES,
    CALLBACKS,
    UNREADABLE,
    LATE,
)

_others: list[Callable[[], None]] = []
_stopped = threading.Event()


def start() -> None:
    """Start to flush the counts of this process, every few seconds and when it exits."""
    threading.Thread(target=_keep_flushing, name="metrics", daemon=True).start()
    atexit.register(flush)


def also_flush(store: Callable[[], None]) -> None:
    """Call `store` at every flush. It must raise nothing but DatabaseError, and must keep what it cannot store."""
    _others.append(store)


def flush() -> None:
    """Add the counts of this process to the shared rows. It keeps the counts if the database refuses them."""
    with suppress(DatabaseError):  # no transaction begins: the counts are stored when the database is back
        for store in _others:
            store()
        _store_pending()


def _store_pending() -> None:
    counts = _pending.take()
    if not counts:
        return
    # Sorted, so that two processes lock the same rows in the same order and cannot deadlock.
    parameters = [
        part for (name, labels), value in sorted(counts.items()) for part in (name, json.dumps(labels), value)
    ]
    with storing(lambda: _pending.give_back(counts)), connection.cursor() as cursor:
        cursor.execute(_ADD.format(rows=", ".join(["(%s, %s, %s)"] * len(counts))), parameters)


def _keep_flushing() -> None:
    while not _stopped.wait(FLUSH_SECONDS):
        flush()
        connection.close()
