"""Record the usage of keys, senders and limits: calls by day and endpoint, the latest errors, and the last use.

Calls are counted in memory and stored later, so that requests do not wait. The time of the last use is stored at most
once a minute. Source: docs/reference/console.md §2.3.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from threading import Lock
from typing import NamedTuple
from uuid import UUID

import structlog
from cachetools import TTLCache
from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone

from config.metrics import registry
from config.metrics.registry import PendingCounts, storing
from config.utc_days import day_of, today
from notifications.models import (
    ApiCallError,
    ApiKey,
    ApiKeyDay,
    CallKind,
    CallResult,
    CallsOfHour,
    EndpointCalls,
    HourlyCalls,
    RefusedCalls,
    ReplyToAddress,
    Service,
    ServiceLimit,
    SmsSender,
)
from notifications.models.key_usage import ERRORS_KEPT_PER_KEY

INTERVAL = timedelta(minutes=1)


class _Number(NamedTuple):
    """The calls of one key to one endpoint in one UTC hour that are not stored yet."""

    key_id: UUID
    hour: datetime
    endpoint: str
    calls: int
    refused: int

    @property
    def day(self) -> date:
        return day_of(self.hour)


class _NewestErrors:
    """The latest errors of each key that are not stored yet."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows = self._none()

    def add(self, *rows: ApiCallError) -> None:
        with self._lock:
            for row in rows:
                self._rows[row.key_id].append(row)

    def take(self) -> list[ApiCallError]:
        with self._lock:
            taken, self._rows = self._rows, self._none()
        return [row for rows in taken.values() for row in rows]

    @staticmethod
    def _none() -> defaultdict[UUID, deque[ApiCallError]]:
        return defaultdict(lambda: deque(maxlen=ERRORS_KEPT_PER_KEY))


_Call = tuple[UUID, datetime, str]  # key, UTC hour, endpoint
_calls: PendingCounts[_Call] = PendingCounts()
_refused_calls: PendingCounts[_Call] = PendingCounts()
_refused_by_limit: PendingCounts[tuple[UUID, date, ServiceLimit]] = PendingCounts()
_newest_errors = _NewestErrors()
_stored_lately: TTLCache[UUID, bool] = TTLCache(10_000, INTERVAL.total_seconds())
_lock = Lock()


def count_call(key_id: UUID, endpoint: str, error: ApiCallError | None = None) -> None:
    """Count one call of a key, and its error if it had one.

    endpoint: as in EndpointCalls; error: without its key, time and request
    """
    now = timezone.now()
    hour = now.replace(minute=0, second=0, microsecond=0)
    _calls.add((key_id, hour, endpoint))
    if error is not None:
        _refused_calls.add((key_id, hour, endpoint))
        error.key_id, error.at = key_id, now
        error.request_id = str(structlog.contextvars.get_contextvars().get("request_id", ""))
        _newest_errors.add(error)


def count_refused(service_id: UUID, limit: ServiceLimit) -> None:
    """Count one call that a limit of the service refused."""
    _refused_by_limit.add((service_id, today(), limit))


def note_use(row: ApiKey | SmsSender | ReplyToAddress, **more: str) -> None:
    """Store when the row was last used, at most once a minute over all processes.

    A database error does not fail the request. more: further columns
    """
    with _lock:
        if row.id in _stored_lately:
            return
        _stored_lately[row.id] = True
    moment = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - INTERVAL)
    with suppress(DatabaseError):
        type(row).objects.filter(stale, id=row.id).update(last_used_at=moment, **more)


def store_pending() -> None:
    """Store the pending counts and errors."""
    # In this order: a call with an error is also counted as a call, and must not be stored before its error is taken.
    newest, refused, calls = _newest_errors.take(), _refused_calls.take(), _calls.take()
    if not calls:
        return
    refused_by_limit = _refused_by_limit.take()

    def give_back() -> None:
        _refused_by_limit.give_back(refused_by_limit)
        _calls.give_back(calls)
        _refused_calls.give_back(refused)
        _newest_errors.add(*newest)

    with storing(give_back):
        named = {key_id for key_id, *_ in calls}
        keys = ApiKey.objects.filter(pk__in=named).values_list("pk", "service_id", "key_type")
        known = {pk: (service_id, key_type) for pk, service_id, key_type in keys}  # a service may be deleted
        some = [
            _Number(*call, calls=number, refused=refused[call]) for call, number in calls.items() if call[0] in known
        ]
        ApiKeyDay.objects.add(_by_day(some))
        EndpointCalls.objects.add(_by_endpoint(some))
        HourlyCalls.objects.add(_by_service(some, known))
        ApiCallError.objects.keep([row for row in newest if row.key_id in known])
        if refused_by_limit:
            there = set(
                Service.objects.filter(pk__in={service_id for service_id, *_ in refused_by_limit}).values_list(
                    "pk", flat=True
                )
            )
            RefusedCalls.objects.add({what: number for what, number in refused_by_limit.items() if what[0] in there})


def _by_day(numbers: Sequence[_Number]) -> list[ApiKeyDay]:
    calls, refused = Counter[tuple[UUID, date]](), Counter[tuple[UUID, date]]()
    for one in numbers:
        calls[one.key_id, one.day] += one.calls
        refused[one.key_id, one.day] += one.refused
    return [
        ApiKeyDay(key_id=key_id, day=day, calls=number, refused=refused[key_id, day])
        for (key_id, day), number in sorted(calls.items())  # sorted, so that two processes never deadlock
    ]


def _by_endpoint(numbers: Sequence[_Number]) -> Mapping[tuple[UUID, date, str], tuple[int, int]]:
    """Return calls and refused calls by key, day and endpoint."""
    found: dict[tuple[UUID, date, str], tuple[int, int]] = {}
    for one in numbers:
        calls, refused = found.get((one.key_id, one.day, one.endpoint), (0, 0))
        found[one.key_id, one.day, one.endpoint] = (calls + one.calls, refused + one.refused)
    return found


def _by_service(numbers: Sequence[_Number], known: Mapping[UUID, tuple[UUID, str]]) -> Counter[CallsOfHour]:
    """Return the calls by service, hour and result. known: the service and the type of each key"""
    found: Counter[CallsOfHour] = Counter()
    for one in numbers:
        service_id, key_type = known[one.key_id]
        for result, n in ((CallResult.REFUSED, one.refused), (CallResult.ACCEPTED, one.calls - one.refused)):
            found[CallsOfHour(service_id, one.hour, CallKind.REQUEST, key_type, result)] += n
    return found


registry.also_flush(store_pending)
