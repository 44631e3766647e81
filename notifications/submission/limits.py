"""How many messages a service may send in a day, which is a UTC date. Source: the sending contract §13.2.

Only accepted messages count, in the transaction that stores them, by an update that holds only below the limit: so
parallel requests never pass it. Test keys and simulated recipients are neither counted nor stopped.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone

from notifications import errors
from notifications.models import DailyCounter, KeyType, LimitKind, Service
from notifications.submission.callers import Caller


def check(caller: Caller, kind: LimitKind) -> None:
    """Refuse early what could not be spent anyway. Raises DailyLimitReached."""
    if caller.key_type == KeyType.TEST:
        return
    now = timezone.now()
    if DailyCounter.objects.spent(caller.service_id, _day(now), kind) >= _limit(caller.service, kind):
        raise _reached(caller.service, kind, now)


def spend(caller: Caller, kinds: Sequence[LimitKind]) -> None:
    """Count one message; inside the caller's transaction, which it ends by raising DailyLimitReached.

    Called last: the rows it locks are held shortest, and always in the same order.
    """
    if caller.key_type == KeyType.TEST:
        return
    now = timezone.now()
    for kind in kinds:
        if not _spend_one(caller.service, kind, _day(now)):
            raise _reached(caller.service, kind, now)


def _spend_one(service: Service, kind: LimitKind, day: date) -> bool:
    limit = _limit(service, kind)
    if DailyCounter.objects.spend_one(service.id, day, kind, limit=limit):
        return True
    # Either the limit is reached or the day's row is not there yet; who asks which it is may be told of one just made.
    DailyCounter.objects.bulk_create([DailyCounter(service=service, day=day, kind=kind)], ignore_conflicts=True)
    return DailyCounter.objects.spend_one(service.id, day, kind, limit=limit)


def _limit(service: Service, kind: LimitKind) -> int:
    limit: int = getattr(service, f"daily_limit_{kind.value}")
    return limit


def _day(now: datetime) -> date:
    return now.astimezone(UTC).date()


def _reached(service: Service, kind: LimitKind, now: datetime) -> errors.DailyLimitReached:
    midnight = datetime.combine(_day(now) + timedelta(days=1), time(tzinfo=UTC))
    seconds = max(1, int((midnight - now).total_seconds()))
    return errors.DailyLimitReached(limit_kind=kind.value, limit=_limit(service, kind), retry_after_seconds=seconds)
