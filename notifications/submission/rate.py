"""Limit the requests a minute for each service and key type. Source: docs/reference/sending-api.md §13.1.

The window slides: a request passes if fewer than the limit have passed in the last 60 s. Rejected requests do not
count. The window is in Redis if it is configured, else in the database; both are exact over all processes. If neither
is available, the request passes: an outage must not stop messages.
"""

import hashlib
import math
import time
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import redis
import structlog
from django.conf import settings
from django.db import DatabaseError, transaction

from config.circuit_breaker import CircuitBreaker
from config.databases.prepared import Statement
from config.queue.redis_client import impatient
from notifications import errors
from notifications.models import ApiKey, RateSlot, Service

WINDOW_MS = 60_000
SLOT_MS = 100  # the resolution of the window in the database
LOCK_SLOT = 0  # a row that counts nothing; updating it serializes the requests of one service and key type
REDIS_TIMEOUT_SECONDS = 0.1

# Without the circuit breaker every request during an outage would wait for the timeout.
redis_breaker = CircuitBreaker(failures=1, open_seconds=5.0)

# The list has an entry for each request that passed, oldest first, by the clock of Redis. Returns wait_ms and left.
SCRIPT = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local passed = redis.call('LLEN', KEYS[1])
if passed >= limit then
  return {redis.call('LINDEX', KEYS[1], passed - limit) + window - now, 0}
end
redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], window)
return {0, limit - passed - 1}
"""
# The number of requests that passed in the window, without counting this call.
PASSED_SCRIPT = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local passed = redis.call('LRANGE', KEYS[1], 0, -1)
for place, at in ipairs(passed) do
  if tonumber(at) > now - tonumber(ARGV[1]) then return #passed - place + 1 end
end
return 0
"""
_SHA = hashlib.sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()  # Redis identifies a cached script by its hash

_FIELDS = [RateSlot._meta.get_field(name) for name in ("service", "key_type", "slot")]
_SLOT = _FIELDS[-1]
_TABLE, _OWN = RateSlot._meta.db_table, "service_id = %s AND key_type = %s"
_LOCK = Statement(f"UPDATE {_TABLE} SET count = 0 WHERE {_OWN} AND slot = %s", _FIELDS)  # noqa: S608  constants only
_PASSED = Statement(f"SELECT sum(count) FROM {_TABLE} WHERE {_OWN} AND slot >= %s", _FIELDS)  # noqa: S608  constants only
_ADD = Statement(f"UPDATE {_TABLE} SET count = count + 1 WHERE {_OWN} AND slot = %s", _FIELDS)  # noqa: S608  constants only
_FORGET = Statement(
    f"DELETE FROM {_TABLE} WHERE {_OWN} AND slot > %s AND slot < %s",  # noqa: S608  constants only
    [*_FIELDS, _SLOT],
)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class RateResult:
    """The result of the rate limit for one request.

    wait_ms: 0 if the request passed and was counted, else the time until it can pass
    left: the number of further requests that can pass now
    """

    wait_ms: int
    left: int

    @property
    def wait_seconds(self) -> int:
        """Return whole seconds from 1 to 60, or 0."""
        return min(60, math.ceil(self.wait_ms / 1000)) if self.wait_ms > 0 else 0


def check(api_key: ApiKey, service: Service, *, window: str) -> RateResult | None:
    """Count one request, or raise RateLimited. Return None if neither Redis nor the database is available.

    window: as `window_name` returns it
    """
    limit = service.rate_limit_per_minute
    result = _ask(service.id, window, max(1, limit))
    if result and result.wait_ms > 0:
        raise errors.RateLimited(key_type=api_key.key_type, limit=limit, retry_after_seconds=result.wait_seconds)
    return result


def passed_lately(service_id: UUID, key_type: str) -> int | None:
    """Return how many requests of a service's keys passed in the last minute, or None if this is not known."""
    if settings.REDIS_URL:
        if not redis_breaker.allows():
            return None
        client = impatient(settings.REDIS_URL, REDIS_TIMEOUT_SECONDS)
        try:
            window = f"{settings.REDIS_PREFIX}rate:{service_id}:{key_type}"
            return int(client.execute_command("EVAL", PASSED_SCRIPT, 1, window, WINDOW_MS))
        except redis.RedisError:
            return None
    oldest = (time.time_ns() // 1_000_000 - WINDOW_MS) // SLOT_MS
    return _Window(service_id, key_type).passed(oldest)


def window_name(api_key: ApiKey, *, is_dry_run: bool) -> str:
    """Return the name of a window. Dry runs have a window of their own, of the same size."""
    return f"{api_key.key_type}-dry" if is_dry_run else str(api_key.key_type)


def _ask(service_id: UUID, key_type: str, limit: int) -> RateResult | None:
    if settings.REDIS_URL and redis_breaker.allows():
        try:
            wait_ms, left = _ask_redis(f"rate:{service_id}:{key_type}", limit)
        except redis.RedisError as error:
            redis_breaker.note_failure()
            log.warning("rate.redis_unreachable", error=type(error).__name__)
        else:
            redis_breaker.note_success()
            return RateResult(wait_ms=wait_ms, left=left)
    try:
        return ask_database(service_id, key_type, limit, now_ms=time.time_ns() // 1_000_000)
    except DatabaseError as error:
        log.warning("rate.unchecked", error=type(error).__name__)
        return None


def ask_database(service_id: UUID, key_type: str, limit: int, *, now_ms: int) -> RateResult:
    """Count one request in the window in the database, if it may pass."""
    slot = now_ms // SLOT_MS
    oldest = slot - WINDOW_MS // SLOT_MS
    with transaction.atomic():
        window = _Window(service_id, str(key_type))
        window.lock()
        passed = window.passed(oldest)
        if passed >= limit:
            counted = RateSlot.objects.filter(service_id=service_id, key_type=key_type, slot__gte=oldest)
            slots = list(counted.order_by("slot").values_list("slot", "count"))
            return RateResult(wait_ms=_wait_for(slots, passed - limit, now_ms), left=0)
        window.add(slot, oldest)
    return RateResult(wait_ms=0, left=limit - passed - 1)


class _Window:
    """The slots of one service and key type. Prepared statements, because the ORM took half the time of a POST."""

    def __init__(self, service_id: UUID, key_type: str) -> None:
        self._own = (service_id, key_type)
        self._slot = partial(RateSlot, service_id=service_id, key_type=key_type)

    def lock(self) -> None:
        if not _LOCK.run(*self._own, LOCK_SLOT):
            RateSlot.objects.bulk_create([self._slot(slot=LOCK_SLOT)], ignore_conflicts=True)
            _LOCK.run(*self._own, LOCK_SLOT)

    def passed(self, oldest: int) -> int:
        return int(_PASSED.first(*self._own, oldest)[0] or 0)

    def add(self, slot: int, oldest: int) -> None:
        """Count one request. The caller has the lock, so no other process writes. A new slot deletes the old slots."""
        if not _ADD.run(*self._own, slot):
            _FORGET.run(*self._own, LOCK_SLOT, oldest)
            RateSlot.objects.create(**self._slot.keywords, slot=slot, count=1)


def _wait_for(window: list[tuple[int, int]], surplus: int, now_ms: int) -> int:
    """Return the milliseconds until enough requests have left the window: the one `surplus` after the oldest."""
    for slot, count in window:
        if surplus < count:
            return (slot + 1) * SLOT_MS + WINDOW_MS - now_ms
        surplus -= count
    return WINDOW_MS


def _ask_redis(window: str, limit: int) -> tuple[int, int]:
    """Return wait_ms and left. Raises redis.RedisError."""
    client = impatient(settings.REDIS_URL, REDIS_TIMEOUT_SECONDS)
    arguments = (1, f"{settings.REDIS_PREFIX}{window}", limit, WINDOW_MS)
    try:
        wait_ms, left = client.execute_command("EVALSHA", _SHA, *arguments)
    except redis.exceptions.NoScriptError:
        wait_ms, left = client.execute_command("EVAL", SCRIPT, *arguments)
    return wait_ms, left
