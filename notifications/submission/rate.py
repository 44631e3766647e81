"""How many requests a service may make in a minute with keys of one type. Source: the sending contract §13.1.

A sliding window: a request passes when fewer than the limit have passed in the last 60 s; refused ones cost nothing.
Kept in Redis where there is one, else in the database, and exact over several processes in both. Where neither answers
the request passes: an outage must not stop messages.
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
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.db.backends.utils import CursorWrapper

from config.redis_client import impatient
from notifications import errors
from notifications.models import ApiKey, RateSlot

WINDOW_MS = 60_000
SLOT_MS = 100  # of the database's window, which is exact to this
LOCK_SLOT = 0  # a row that counts nothing: updating it lets requests of one service and key type through one at a time
REDIS_TIMEOUT_SECONDS = 0.1
REDIS_PAUSE_SECONDS = 5  # after a failure, or every request of an outage would wait for its own time-out

# One entry for each request that passed, oldest first, with Redis's own clock. Answers the two numbers of a Passage.
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
_SHA = hashlib.sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()  # by which Redis knows a script it has seen

_TABLE = RateSlot._meta.db_table
_OWN = "service_id = %s AND key_type = %s"
_SET_TO_NOTHING = f"UPDATE {_TABLE} SET count = 0 WHERE {_OWN} AND slot = %s"  # noqa: S608  our own words alone
_PASSED = f"SELECT sum(count) FROM {_TABLE} WHERE {_OWN} AND slot >= %s"  # noqa: S608  likewise
_ADD = f"UPDATE {_TABLE} SET count = count + 1 WHERE {_OWN} AND slot = %s"  # noqa: S608  likewise
_FORGET = f"DELETE FROM {_TABLE} WHERE {_OWN} AND slot > %s AND slot < %s"  # noqa: S608  likewise

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What the window says of one request.

    wait_ms: 0 where it has passed and been counted
    left: how many more would pass now
    """

    wait_ms: int
    left: int

    @property
    def wait_seconds(self) -> int:
        """Return whole seconds from 1 to 60, or 0."""
        return min(60, math.ceil(self.wait_ms / 1000)) if self.wait_ms > 0 else 0


def check(api_key: ApiKey) -> Passage | None:
    """Let one request through, and count it; None where nobody could count. Raises RateLimited."""
    limit = api_key.service.rate_limit_per_minute
    passage = _ask(api_key.service_id, api_key.key_type, max(1, limit))
    if passage and passage.wait_seconds:
        raise errors.RateLimited(key_type=api_key.key_type, limit=limit, retry_after_seconds=passage.wait_seconds)
    return passage


def _ask(service_id: UUID, key_type: str, limit: int) -> Passage | None:
    if settings.REDIS_URL and time.monotonic() >= _pause.until:
        try:
            wait_ms, left = _ask_redis(f"rate:{service_id}:{key_type}", limit)
            return Passage(wait_ms=wait_ms, left=left)
        except redis.RedisError as error:
            _pause.until = time.monotonic() + REDIS_PAUSE_SECONDS
            log.warning("rate.redis_unreachable", error=type(error).__name__)
    try:
        return ask_database(service_id, key_type, limit, now_ms=time.time_ns() // 1_000_000)
    except DatabaseError as error:
        log.warning("rate.unchecked", error=type(error).__name__)
        return None


def ask_database(service_id: UUID, key_type: str, limit: int, *, now_ms: int) -> Passage:
    """Count one request in the database's window, if it may pass."""
    slot = now_ms // SLOT_MS
    oldest = slot - WINDOW_MS // SLOT_MS
    with transaction.atomic(), connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        window = _Window(cursor, service_id, key_type)
        window.lock()
        passed = window.passed(oldest)
        if passed >= limit:
            counted = RateSlot.objects.filter(service_id=service_id, key_type=key_type, slot__gte=oldest)
            slots = list(counted.order_by("slot").values_list("slot", "count"))
            return Passage(wait_ms=_wait_for(slots, passed - limit, now_ms), left=0)
        window.add(slot, oldest)
    return Passage(wait_ms=0, left=limit - passed - 1)


class _Window:
    """The slots of one service and key type, in SQL of our own: said by the ORM, these took half the time of a POST."""

    def __init__(self, cursor: CursorWrapper, service_id: UUID, key_type: str) -> None:
        self._cursor = cursor
        service = RateSlot._meta.get_field("service").get_db_prep_value(service_id, connections[DEFAULT_DB_ALIAS])
        self._own = (service, str(key_type))
        self._slot = partial(RateSlot, service_id=service_id, key_type=key_type)

    def lock(self) -> None:
        if not self._run(_SET_TO_NOTHING, LOCK_SLOT):
            RateSlot.objects.bulk_create([self._slot(slot=LOCK_SLOT)], ignore_conflicts=True)
            self._run(_SET_TO_NOTHING, LOCK_SLOT)

    def passed(self, oldest: int) -> int:
        self._run(_PASSED, oldest)
        return int(self._cursor.fetchone()[0] or 0)

    def add(self, slot: int, oldest: int) -> None:
        """Count one more; nobody else is writing, since the lock is ours. With each new slot the old ones go."""
        if not self._run(_ADD, slot):
            self._run(_FORGET, LOCK_SLOT, oldest)
            RateSlot.objects.create(**self._slot.keywords, slot=slot, count=1)

    def _run(self, sql: str, *values: int) -> int:
        self._cursor.execute(sql, (*self._own, *values))
        return int(self._cursor.rowcount)


def _wait_for(window: list[tuple[int, int]], surplus: int, now_ms: int) -> int:
    """Return how long until the request that has to leave the window does: the one `surplus` after the oldest."""
    for slot, count in window:
        if surplus < count:
            return (slot + 1) * SLOT_MS + WINDOW_MS - now_ms
        surplus -= count
    return WINDOW_MS


def forget_outage() -> None:
    """Ask Redis again with the next request, however lately it failed."""
    _pause.until = 0.0


class _Pause:
    """Until when this process leaves Redis alone."""

    until = 0.0


_pause = _Pause()


def _ask_redis(window: str, limit: int) -> tuple[int, int]:
    """Return the numbers of a Passage. A request can wait out the time-outs."""
    client, arguments = impatient(settings.REDIS_URL, REDIS_TIMEOUT_SECONDS), (1, window, limit, WINDOW_MS)
    try:
        wait_ms, left = client.ask("EVALSHA", _SHA, *arguments)
    except redis.exceptions.NoScriptError:
        wait_ms, left = client.ask("EVAL", SCRIPT, *arguments)
    return wait_ms, left
