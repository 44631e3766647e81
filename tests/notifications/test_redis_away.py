"""Redis dies and comes back: sends are answered in time, stored, and limited.

Source: docs/reference/security.md §12; docs/testing.md, A5, A6.
"""

import time

import pytest

from tests.conftest import Start
from tests.notifications.provisioned import Provisioned
from tests.servers import PrivateRedis, Program, accepts
from tests.service import Service

IN_TIME_SECONDS = 10
PER_MINUTE = 5
DAILY_LIMIT = 8

SERVICE = {
    "name": "Lighthouses",
    "live": True,
    "reply_to_addresses": [{"email_address": "reply@example.com"}],
    "rate_limit_per_minute": PER_MINUTE,
    "daily_limits": {"sms": DAILY_LIMIT},
    "sms_senders": [{"sender": "LAMP", "default": True}],
    "templates": [{"type": "sms", "name": "text", "content": "Hello"}],
    "api_keys": [{"name": "live-key", "type": "live"}, {"name": "test-key", "type": "test"}],
}


@pytest.fixture
def lighthouses(redis_server: PrivateRedis, start_service: Start) -> tuple[Service, Provisioned]:
    service = start_service(REDIS_URL=redis_server.url)
    return service, Provisioned(service, SERVICE)


def restarted(server: PrivateRedis) -> None:
    """Start it again on the same port, empty."""
    server.program = Program(*server.program.process.args, log=server.folder / "redis.log")  # type: ignore[misc]
    server.program.wait_until(lambda: accepts(server.port))


def send(caller: Provisioned, times: int, key_type: str = "test") -> list[int]:
    statuses = []
    for _ in range(times):
        began = time.monotonic()
        statuses.append(caller.send_sms(key_type=key_type).status_code)
        assert time.monotonic() - began < IN_TIME_SECONDS
    return statuses


@pytest.mark.fault("A6", "A7")
def test_sends_succeed_without_redis_and_after_it_lost_its_data(
    redis_server: PrivateRedis, lighthouses: tuple[Service, Provisioned]
) -> None:
    _, caller = lighthouses
    assert send(caller, PER_MINUTE + 1) == [201] * PER_MINUTE + [429]

    redis_server.program.kill()
    meanwhile = send(caller, PER_MINUTE + 1)  # the database starts to count from zero
    restarted(redis_server)
    time.sleep(5.5)  # as long as a process does not retry after a failure
    afterwards = send(caller, 1)

    assert meanwhile == [201] * PER_MINUTE + [429]
    assert afterwards == [201]
    kept = caller.client().get_all_notifications()["notifications"]
    assert len(kept) == 2 * PER_MINUTE + 1


def test_the_daily_limit_does_not_depend_on_redis(
    redis_server: PrivateRedis, lighthouses: tuple[Service, Provisioned]
) -> None:
    _, caller = lighthouses
    assert send(caller, PER_MINUTE, "live") == [201] * PER_MINUTE

    redis_server.client().flushall()
    afterwards = send(caller, DAILY_LIMIT, "live")

    assert afterwards == [201] * (DAILY_LIMIT - PER_MINUTE) + [429] * PER_MINUTE
