"""A real server is stopped in the middle: waiting processes give up, and continue once it is back.

Source: docs/reference/security.md §12; docs/testing.md, A8, A9; under load in benchmarks/faults/postgres_away.py.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest
import requests
from django.db import connection

from config.databases import statements
from config.databases.postgresql import waiting
from tests.notifications.provisioned import Provisioned
from tests.servers import PrivatePostgres, postgres_programs, processes, wait_until

SERVICE = {
    "name": "Ferries",
    "live": True,
    "reply_to_addresses": [{"email_address": "reply@example.com"}],
    "templates": [{"type": "sms", "name": "text", "content": "Hello"}],
    "api_keys": [{"name": "k", "type": "test"}],
}


@pytest.fixture(scope="module")
def server() -> Iterator[PrivatePostgres]:
    if postgres_programs() is None:
        pytest.skip("PostgreSQL is not on this machine")
    server = PrivatePostgres()
    yield server
    server.stop()


@contextmanager
def frozen(server: PrivatePostgres) -> Iterator[None]:
    os.kill(server.program.pid, signal.SIGSTOP)  # first, so that no process is added
    everyone = processes(server.program.pid)
    for pid in everyone:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in everyone:
            with suppress(ProcessLookupError):  # it ended as soon as the server continued
                os.kill(pid, signal.SIGCONT)


@pytest.mark.fault("A8", "A9")
def test_a_connection_gives_up_on_a_frozen_server_and_closes(server: PrivatePostgres) -> None:
    connection = waiting.Connection.connect(server.url, options="-c statement_timeout=0")
    assert connection.answer_seconds is None
    connection.answer_seconds = 0.5

    with frozen(server), pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")

    assert connection.closed
    with waiting.Connection.connect(server.url) as another:
        assert another.execute("SELECT 1").fetchone() == (1,)


def test_an_extended_limit_waits_for_slow_statements(server: PrivatePostgres) -> None:
    with waiting.Connection.connect(server.url) as connection:
        connection.answer_seconds = 0.1
        with waiting.extended(connection, 1):
            slow = connection.execute("SELECT 1 FROM pg_sleep(0.3)")
        assert slow.fetchone() == (1,)
        assert connection.answer_seconds == 0.1


@pytest.mark.fault("A8", "A9")
def test_a_call_during_the_outage_gets_503_and_the_next_one_succeeds_without_a_restart(server, start_service) -> None:
    service = start_service(DATABASE_URL=server.url, DATABASE_STATEMENT_TIMEOUT_MS="500")
    caller = Provisioned(service, SERVICE)
    before = caller.send_sms()

    with frozen(server):
        meanwhile = [caller.send_sms() for _ in range(3)]
    wait_until(lambda: caller.send_sms().status_code == 201)

    assert before.status_code == 201
    assert [answer.status_code for answer in meanwhile] == [503, 503, 503]
    assert {answer.json()["errors"][0]["message"] for answer in meanwhile} == {"Service unavailable"}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in meanwhile)
    locks = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
    with psycopg.connect(server.url) as anybody:
        assert anybody.execute(locks).fetchone() == (0,)


def test_a_database_that_hangs_or_dies_is_named_within_two_seconds(server: PrivatePostgres, start_service) -> None:
    service = start_service(DATABASE_URL=server.url, REDIS_URL="")

    def get(page: str) -> requests.Response:
        return requests.get(f"{service.url}/{page}", timeout=60)

    assert get("_status/ready").status_code == 200
    with frozen(server):
        started = time.monotonic()
        hung = get("_status/ready")
        seconds = time.monotonic() - started
        serving = get("_status/serving")
    alive = get("_status")
    server.stop()
    dead = get("_status/ready")

    assert (hung.status_code, hung.json()["failed"]) == (503, ["database"])
    assert seconds < 8  # 2 s, and time for a busy machine; without a limit, the check would never end
    assert alive.status_code == 200
    assert serving.status_code == 200  # callers get our own 503 from this process
    assert (dead.status_code, dead.json()["failed"]) == (503, ["database"])


@pytest.mark.django_db
def test_a_limit_of_one_transaction_applies_to_server_and_client() -> None:
    with statements.allowed(25):
        if connection.vendor != "postgresql":
            assert connection.vendor == "sqlite", "which has no such limit"
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout')")
            assert cursor.fetchone() == ("25s",)
        assert connection.connection.answer_seconds == 25 + waiting.BEYOND_SECONDS

    assert connection.connection.answer_seconds == 5 + waiting.BEYOND_SECONDS
