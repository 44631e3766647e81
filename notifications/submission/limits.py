"""Enforce the daily limits of services and keys. A day is a UTC date. Source: docs/reference/sending-api.md §13.2.

Only accepted messages count. The statement or transaction that stores a message also updates the counter, on condition
that it is below the limit, so parallel requests never exceed it. Test keys and simulated recipients are not counted.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from config.databases.prepared import Condition, insert
from config.utc_days import day_of
from notifications import errors
from notifications.bulk_tables.check import Allowance
from notifications.models import DailyCounter, KeyCounter, KeyType, LimitKind, Notification, Service
from notifications.models.limit import spending_one
from notifications.submission.callers import Caller
from notifications.submission.ttl_cache import cached

COUNTED_KEY_TYPES = 2  # live and team
BY_HAND = 100  # upper bound on sends from the console within the cache's two seconds


def check(caller: Caller, kind: LimitKind) -> None:
    """Raise DailyLimitReached or KeyDailyLimitReached early if the limit is already reached.

    Skip the query of the service's count if a count at most 2 s old is so low that the rate limit prevents reaching
    the daily limit since.
    """
    if caller.key_type == KeyType.TEST:
        return
    if caller.daily_limit is not None:
        check_key(caller, 1)
    service, limit = caller.service, limit_of(caller.service, kind)
    most_meanwhile = COUNTED_KEY_TYPES * service.rate_limit_per_minute + BY_HAND
    if (
        most_meanwhile < limit
        and (_spent_lately(service.id, day_of(timezone.now()), kind) or 0) + most_meanwhile < limit
    ):
        return
    _check_service(caller, kind)


def check_now(caller: Caller, kind: LimitKind) -> None:
    """Raise DailyLimitReached or KeyDailyLimitReached if the limit is reached, by the stored counts."""
    if caller.key_type != KeyType.TEST:
        check_key(caller, 1)
        _check_service(caller, kind)


def check_key(caller: Caller, number: int) -> None:
    """Raise KeyDailyLimitReached if the limit of the key has no room for the messages, by the stored count."""
    if caller.daily_limit is None or caller.key_type == KeyType.TEST:
        return
    now = timezone.now()
    if KeyCounter.objects.spent(caller.id, day_of(now)) + number > caller.daily_limit:
        raise _key_reached(caller.daily_limit, now)


def _check_service(caller: Caller, kind: LimitKind) -> None:
    if not remaining(caller.service, kind):
        raise _reached(caller.service, kind, timezone.now())


def remaining(service: Service, kind: LimitKind) -> int:
    """Return how many more messages count today before the limit is reached."""
    spent = DailyCounter.objects.spent(service.id, day_of(timezone.now()), kind)
    return max(0, limit_of(service, kind) - spent)


def limit_of(service: Service, kind: LimitKind) -> int:
    limit: int = getattr(service, f"daily_limit_{kind.value}")
    return limit


def store(caller: Caller, message: Mapping[str, Any], kinds: Sequence[LimitKind]) -> None:
    """Store a message and count it, or do neither and raise DailyLimitReached or KeyDailyLimitReached.

    message: its columns; Any: values of columns
    kinds: the limits that the message counts against; their rows are locked in this order
    """
    if caller.key_type == KeyType.TEST:
        insert(Notification, message)
        return
    if caller.daily_limit is None:
        _store(caller, message, kinds)
        return
    with transaction.atomic():
        _spend_key(caller, 1)
        _store(caller, message, kinds)


def _store(caller: Caller, message: Mapping[str, Any], kinds: Sequence[LimitKind]) -> None:
    *others, last = kinds
    if not others:
        _spend(caller.service, last, partial(insert, Notification, message))
        return
    with transaction.atomic():
        spend(caller, others)
        _spend(caller.service, last, partial(insert, Notification, message))


def spend(caller: Caller, kinds: Sequence[LimitKind]) -> None:
    """Count one message that the transaction stores. Raises DailyLimitReached. Call it last: it locks the counters."""
    if caller.key_type != KeyType.TEST:
        for kind in kinds:
            _spend(caller.service, kind, Condition.is_met)


def count(caller: Caller, numbers: Mapping[LimitKind, int]) -> bool:
    """Count several messages of each kind. Return False if a limit has no room: then roll the transaction back.

    Call it last in the transaction that stores the messages: it locks the counters. Raises KeyDailyLimitReached.
    """
    if caller.key_type == KeyType.TEST:
        return True
    _spend_key(caller, max(numbers.values(), default=0))  # an international text counts towards two limits
    day, service = day_of(timezone.now()), caller.service
    for kind, number in numbers.items():
        if not number:
            continue
        DailyCounter.objects.bulk_create([DailyCounter(service=service, day=day, kind=kind)], ignore_conflicts=True)
        if not DailyCounter.objects.spend(service.id, day, kind, number, limit=limit_of(service, kind)):
            return False
    return True


def allowance(caller: Caller, kind: LimitKind) -> Allowance | None:
    """Return a limit and how many messages are left of it today, or None for a test key."""
    if caller.key_type == KeyType.TEST:
        return None
    return Allowance(limit=limit_of(caller.service, kind), remaining=remaining(caller.service, kind))


def reached(service: Service, kind: LimitKind) -> errors.DailyLimitReached:
    """Return the error of a limit that is used up."""
    return _reached(service, kind, timezone.now())


def _spend(service: Service, kind: LimitKind, spend: Callable[[Condition], bool]) -> None:
    """Count one message, or raise DailyLimitReached.

    spend: counts it, and may store it; returns False if the limit is reached or the row of the day is missing
    """
    now = timezone.now()
    day = day_of(now)
    condition = spending_one(service.id, day, kind, limit=limit_of(service, kind))
    if spend(condition):
        return
    # Either the limit is reached or the row of the day is missing. Another request may insert it in between.
    DailyCounter.objects.bulk_create([DailyCounter(service=service, day=day, kind=kind)], ignore_conflicts=True)
    if not spend(condition):
        raise _reached(service, kind, now)


def _spend_key(caller: Caller, number: int) -> None:
    """Count messages of a key that has a daily limit, or raise KeyDailyLimitReached."""
    if caller.daily_limit is None:
        return
    now = timezone.now()
    if not KeyCounter.objects.spend(caller.id, day_of(now), number, limit=caller.daily_limit):
        raise _key_reached(caller.daily_limit, now)


@cached
def _spent_lately(service_id: UUID, day: date, kind: LimitKind) -> int | None:
    return DailyCounter.objects.spent(service_id, day, kind)


def _reached(service: Service, kind: LimitKind, now: datetime) -> errors.DailyLimitReached:
    limit, seconds = limit_of(service, kind), _seconds_to_midnight(now)
    return errors.DailyLimitReached(limit_kind=kind.value, limit=limit, retry_after_seconds=seconds)


def _key_reached(limit: int, now: datetime) -> errors.KeyDailyLimitReached:
    return errors.KeyDailyLimitReached(limit=limit, retry_after_seconds=_seconds_to_midnight(now))


def _seconds_to_midnight(now: datetime) -> int:
    midnight = datetime.combine(day_of(now) + timedelta(days=1), time(tzinfo=UTC))
    return max(1, int((midnight - now).total_seconds()))
