"""What the processes count for /metrics: kept in memory, and added to rows all processes share every few seconds.

So the figures are right with as many web and worker processes as there are, on as many machines, and one of them may
come and go. A process that is killed takes at most FLUSH_SECONDS of its counting along. No label may hold a recipient,
the name of a service or data set, or a key. Source: Developer experience §13.
"""

import atexit
import json
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.db import DatabaseError, connection

FLUSH_SECONDS = 5
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, float("inf"))

_ADD = """
    INSERT INTO figure (name, labels, value) VALUES {rows}
    ON CONFLICT (name, labels) DO UPDATE SET value = figure.value + excluded.value
"""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Something that is counted, by these labels."""

    name: str
    help: str
    labels: tuple[str, ...]

    def add(self, *values: str, number: float = 1) -> None:
        _add(self.name, values, number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seconds:
    """Something that takes time, by these labels: how often, how long in all, and how often at most so long."""

    name: str
    help: str
    labels: tuple[str, ...]

    def add(self, *values: str, seconds: float) -> None:
        bucket = next(limit for limit in BUCKETS if seconds <= limit)
        _add(self.name, (*values, str(bucket)), 1)
        _add(f"{self.name}_sum", values, seconds)


REQUESTS = Seconds(
    name="signalbox_request_seconds", help="Requests, and how long they took", labels=("area", "route", "status")
)
ATTEMPTS = Seconds(
    name="signalbox_attempt_seconds", help="Attempts to hand a message to a provider", labels=("provider", "outcome")
)
MESSAGES = Count(
    name="signalbox_messages", help="Messages that reached a status", labels=("channel", "key_type", "status")
)
EXPIRED = Count(
    name="signalbox_messages_expired",
    help="Messages whose time was over before a provider took them",
    labels=("channel", "key_type"),
)
REFUSALS = Count(name="signalbox_refusals", help="Requests refused by a limit", labels=("limit",))
RECORDS = Count(name="signalbox_records", help="Records written, and refused", labels=("outcome",))
CALLBACKS = Count(name="signalbox_callback_attempts", help="Attempts to call a service back", labels=("outcome",))
LATE = Count(name="signalbox_data_sets_turned_late", help="Data sets that turned late", labels=())
UNREADABLE = Count(
    name="signalbox_unreadable_values", help="Needed values that FIELD_KEYS do not decrypt", labels=("column",)
)

COUNTED: tuple[Count | Seconds, ...] = (
    REQUESTS,
    ATTEMPTS,
    MESSAGES,
    EXPIRED,
    REFUSALS,
    RECORDS,
    CALLBACKS,
    UNREADABLE,
    LATE,
)

_others: list[Callable[[], None]] = []
_counted: dict[tuple[str, tuple[str, ...]], float] = defaultdict(float)
_lock = threading.Lock()
_stopped = threading.Event()


def start() -> None:
    """Add what this process counts to the shared rows from now on, and once more at its end."""
    threading.Thread(target=_keep_flushing, name="figures", daemon=True).start()
    atexit.register(flush)


def also_flush(store: Callable[[], None]) -> None:
    """Have an area store its own counts in the same rhythm. It keeps what it cannot write now, and raises nothing."""
    _others.append(store)


def flush() -> None:
    """Add what has been counted to the shared rows. What cannot be written now is kept for the next time."""
    for store in _others:
        store()
    with _lock:
        counted = dict(_counted)
        _counted.clear()
    if not counted:
        return
    # Always in the same order: two processes that add to the same rows wait for one another, and never both.
    parameters = [
        part for (name, labels), value in sorted(counted.items()) for part in (name, json.dumps(labels), value)
    ]
    try:
        with connection.cursor() as cursor:
            cursor.execute(_ADD.format(rows=", ".join(["(%s, %s, %s)"] * len(counted))), parameters)
    except DatabaseError as error:
        log.debug("figures.kept", error=type(error).__name__)
        with _lock:
            for key, value in counted.items():
                _counted[key] += value


def _keep_flushing() -> None:
    while not _stopped.wait(FLUSH_SECONDS):
        flush()
        connection.close()


def _add(name: str, values: tuple[str, ...], number: float) -> None:
    with _lock:
        _counted[name, values] += number
