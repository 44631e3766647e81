"""The number of statements and commands of a request when service, keys, senders and templates are cached.

Source: docs/architecture.md. The rate window is Redis's here, as in production: one script, no query.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from config.audit.models import AuditEvent
from config.queue import publishing
from notifications.models import KeyType
from notifications.submission import rate
from tests.factories import make_guest, make_service
from tests.notifications.calling import ADDRESS, NUMBER, Caller, email_template, make_caller, sms_template
from tests.servers import PrivateRedis

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not there"),
]


@pytest.fixture(scope="module")
def redis_server() -> Iterator[PrivateRedis]:
    server = PrivateRedis()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def production_like(settings: Any, redis_server: PrivateRedis) -> None:
    settings.REDIS_URL = redis_server.url
    rate.redis_breaker.note_success()


def statements(queries: CaptureQueriesContext) -> list[str]:
    return [query["sql"].split()[0] for query in queries.captured_queries]


def commands(onlooker: redis.Redis) -> Counter[str]:
    """Return how often each command reached the server, including those of scripts."""
    found = onlooker.info("commandstats")
    return Counter({name.removeprefix("cmdstat_"): row["calls"] for name, row in found.items()})


# PostgreSQL does everything in one statement, which is its own transaction.
STORED_AND_COUNTED = ["WITH"] if connection.vendor == "postgresql" else ["BEGIN", "UPDATE", "INSERT", "COMMIT"]

# One request each, in a window in which the last one passed.
WITHIN_THE_SCRIPT = Counter(time=1, lindex=1, llen=1, rpush=1, pexpire=1)


@pytest.mark.parametrize("channel", ["sms", "email"])
@pytest.mark.parametrize("key_type", [KeyType.LIVE, KeyType.TEAM])
@pytest.mark.parametrize(
    ("limits", "look"),
    [({}, []), ({"daily_limit_sms": 900, "daily_limit_email": 900}, ["SELECT"])],
    ids=["far-from-the-limit", "near-it"],
)
def test_sending_stores_and_counts_in_one_transaction(
    channel: str, key_type: KeyType, limits: dict[str, int], look: list[str]
) -> None:
    """The day's counter is only read if the limit may have been reached since the last read."""
    caller = make_caller(service=make_service(**limits), key_type=key_type)
    make_guest(caller.service, NUMBER)
    make_guest(caller.service, ADDRESS)
    template = (sms_template if channel == "sms" else email_template)(caller)
    send = caller.send_sms if channel == "sms" else caller.send_email
    assert send(template).status_code == 201

    with CaptureQueriesContext(connection) as queries:
        assert send(template).status_code == 201

    assert statements(queries) == look + STORED_AND_COUNTED


@pytest.mark.parametrize("channel", ["sms", "email"])
def test_sending_writes_no_audit_event(channel: str) -> None:
    """The chain costs a change in the console, and no call of the API: docs/performance.md."""
    caller = make_caller()
    template = (sms_template if channel == "sms" else email_template)(caller)
    before = AuditEvent.objects.count()

    with CaptureQueriesContext(connection) as queries:
        assert (caller.send_sms if channel == "sms" else caller.send_email)(template).status_code == 201

    assert not [query["sql"] for query in queries.captured_queries if "operations_audit" in query["sql"]]
    assert AuditEvent.objects.count() == before


@pytest.mark.parametrize("channel", ["sms", "email"])
def test_sending_runs_one_redis_script_and_publishes_one_wake_up(channel: str, redis_server: PrivateRedis) -> None:
    caller = make_caller()
    template = (sms_template if channel == "sms" else email_template)(caller)
    send = caller.send_sms if channel == "sms" else caller.send_email
    assert send(template).status_code == 201
    told = publishing.waiting(f"send-{channel}")

    with redis_server.client() as onlooker:
        asked = commands(onlooker)
        assert send(template).status_code == 201
        now = commands(onlooker)

    assert now - asked - WITHIN_THE_SCRIPT == Counter(evalsha=1, info=1)
    assert publishing.waiting(f"send-{channel}") == {f"send-{channel}": told[f"send-{channel}"] + 1}


def test_a_test_key_writes_once() -> None:
    caller = make_caller(key_type=KeyType.TEST)
    template = sms_template(caller)
    caller.send_sms(template)

    with CaptureQueriesContext(connection) as queries:
        assert caller.send_sms(template).status_code == 201

    assert statements(queries) == ["INSERT"]


def test_a_rejected_body_needs_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    caller = make_caller()
    caller.get("/v2/templates")

    with django_assert_num_queries(1):
        assert caller.post("/v2/notifications/sms", raw=b"[").status_code == 400
    with django_assert_num_queries(0):
        assert caller.post("/v2/notifications/sms", raw=b"[").status_code == 400


@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("/v2/notifications/{id}", 1),
        ("/v2/notifications", 1),
        ("/v2/notifications?older_than={id}", 2),
        ("/v2/template/{template}", 1),
        ("/v2/template/{template}/version/1", 1),
        ("/v2/templates", 1),
        ("/v2/received-text-messages", 1),
    ],
)
def test_reading_needs_one_query(path: str, queries: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    caller = make_caller()
    template = sms_template(caller)
    sent = [caller.send_sms(template).json()["id"] for _ in range(3)]
    address = path.format(id=sent[1], template=template.id)

    with django_assert_num_queries(queries):
        assert caller.get(address).status_code == 200


def test_an_unknown_caller_needs_one_query_and_no_memory(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    caller = make_caller()
    caller.get("/v2/templates")

    with django_assert_num_queries(0):
        assert caller.get("/v2/templates", Authorization=caller.authorization(signature="AAAA")).status_code == 403
    unknown = Caller(caller.key)
    with django_assert_num_queries(1):
        header = unknown.authorization(claims={"iss": "4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10"})
        assert unknown.get("/v2/templates", Authorization=header).status_code == 403
