"""The sliding minute is exact over threads and processes, in Redis and in the database, and delays no message."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from django.db import connection

from notifications import errors
from notifications.models import ApiKey, KeyType, RateSlot
from notifications.submission import rate
from tests.factories import make_api_key, make_service
from tests.servers import PrivateRedis, free_port

pytestmark = pytest.mark.django_db

START = 1_800_000_000_000


def passes(key: ApiKey) -> bool:
    try:
        rate.check(key, key.service, window=rate.window_name(key, is_dry_run=False))
    except errors.RateLimited:
        return False
    return True


def wait_at(key: ApiKey, limit: int, seconds: float) -> int:
    return rate.ask_database(key.service_id, key.key_type, limit, now_ms=START + int(seconds * 1000)).wait_ms


@pytest.fixture(params=["database", "redis"])
def key(request: pytest.FixtureRequest, settings: Any) -> ApiKey:
    """Return a key of a service with a limit of three requests a minute, counted in either store."""
    settings.REDIS_URL = request.getfixturevalue("redis_server").url if request.param == "redis" else ""
    rate.redis_breaker.note_success()
    return make_api_key(make_service(rate_limit_per_minute=3))


def test_requests_up_to_the_limit_pass_and_the_next_one_must_wait(key: ApiKey) -> None:
    assert [passes(key) for _ in range(5)] == [True, True, True, False, False]

    with pytest.raises(
        errors.RateLimited, match="Exceeded rate limit for key type LIVE of 3 requests per 60 seconds"
    ) as told:
        rate.check(key, key.service, window=rate.window_name(key, is_dry_run=False))
    assert told.value.retry_after_seconds in {59, 60}


def test_each_request_returns_the_remaining_ones(key: ApiKey) -> None:
    told = [rate.check(key, key.service, window=rate.window_name(key, is_dry_run=False)) for _ in range(3)]

    assert [passage and passage.left for passage in told] == [2, 1, 0]


def test_other_key_types_and_services_have_separate_windows(key: ApiKey) -> None:
    assert [passes(key) for _ in range(4)][-1] is False

    assert passes(make_api_key(key.service, KeyType.TEST))
    assert passes(make_api_key(make_service(rate_limit_per_minute=1)))
    assert not passes(make_api_key(key.service))  # another key of the same type shares the window


def test_a_changed_limit_applies_at_once(key: ApiKey) -> None:
    assert [passes(key) for _ in range(4)][-1] is False

    key.service.rate_limit_per_minute = 4
    assert [passes(key) for _ in range(2)] == [True, False]
    key.service.rate_limit_per_minute = 2
    assert not passes(key)


def test_the_window_slides_and_rejected_requests_do_not_count() -> None:
    key = make_api_key()

    assert [wait_at(key, 2, second) for second in (0, 20)] == [0, 0]
    assert wait_at(key, 2, 30) == 30_100  # the first request leaves at 60 s, to a tenth of a second
    assert wait_at(key, 2, 60.0) > 0
    assert wait_at(key, 2, 60.1) == 0
    assert wait_at(key, 2, 61) == 19_100
    assert wait_at(key, 2, 80.1) == 0


def test_a_burst_at_the_edge_of_a_minute_does_not_evade_the_limit() -> None:
    key = make_api_key()
    for second in (59.5, 59.6, 59.7):
        assert wait_at(key, 3, second) == 0

    assert all(wait_at(key, 3, second) > 0 for second in (60, 90, 119.5))


def test_slots_that_no_longer_count_are_removed() -> None:
    key = make_api_key()
    for second in range(0, 300, 10):
        wait_at(key, 100, second)

    assert RateSlot.objects.count() <= 8


@pytest.mark.django_db(transaction=True)
def test_threads_at_once_never_pass_the_limit(key: ApiKey) -> None:
    key.service.rate_limit_per_minute = 20

    def once(_: int) -> bool:
        try:
            return passes(key)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(once, range(60))) == 20


def test_the_window_in_redis_slides_by_its_own_clock(redis_server: PrivateRedis) -> None:
    script = redis.Redis.from_url(redis_server.url).register_script(rate.SCRIPT)

    def wait() -> int:
        return int(script(keys=["rate:slides"], args=[2, 300])[0])

    assert [wait(), wait()] == [0, 0]
    assert 0 < wait() <= 300
    time.sleep(0.35)
    assert [wait(), wait()] == [0, 0]


def test_nothing_is_left_in_redis_a_minute_after_the_last_request(redis_server: PrivateRedis) -> None:
    client = redis.Redis.from_url(redis_server.url)

    client.register_script(rate.SCRIPT)(keys=["rate:expires"], args=[5, 60_000])

    assert 0 < client.pttl("rate:expires") <= 60_000


def test_without_redis_the_database_counts_with_little_delay(settings: Any) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    rate.redis_breaker.note_success()
    key = make_api_key(make_service(rate_limit_per_minute=2))
    began = time.monotonic()

    assert [passes(key) for _ in range(3)] == [True, True, False]

    assert time.monotonic() - began < 10
    rate.redis_breaker.note_success()
