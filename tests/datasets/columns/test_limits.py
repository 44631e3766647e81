"""A query that needs too much time or memory is 400, a busy query process 503, and other requests go on."""

import multiprocessing
import os
import signal
import socket
import threading
from contextlib import ExitStack

import pytest
from django.db import connection
from django.test import Client

from datasets.columns import building
from datasets.queries.column_files import reading
from tests.datasets.making import make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(settings):
    settings.COLUMNS_SEGMENT_RECORDS = 10_000
    data_set = make_data_set()
    secret = make_token(data_set)
    put_in(
        data_set, [{"_id": f"r{n}", "_timestamp": "2024-01-01T00:00:00Z", "n": n, "t": "x" * 50} for n in range(3000)]
    )
    building.build(data_set, seconds=60, wait=False)
    url = f"/data/{data_set.group}/{data_set.type}?group_by=n&collect=t:set"
    return lambda **environ: Client().get(url, headers={"Authorization": f"Bearer {secret}"}, **environ)


def test_too_much_time(ask, settings):
    assert ask().status_code == 200
    settings.DATABASE_STATEMENT_SECONDS = 0.001

    answer = ask()

    assert answer.status_code == 400
    assert answer.json()["message"].startswith("This query takes longer than 0.001 seconds. Ask for a shorter period")
    assert "Retry-After" not in answer.headers
    settings.DATABASE_STATEMENT_SECONDS = 60  # for a busy machine
    assert ask().status_code == 200


def test_too_much_memory(ask, settings):
    settings.QUERY_MEMORY_MB = 113  # 1 MB for DuckDB

    answer = ask()

    assert answer.status_code == 400
    assert "Retry-After" not in answer.headers


@pytest.mark.django_db(transaction=True)
def test_many_queries_at_once_wait_for_each_other(ask):
    found = []

    def work():
        try:
            found.append(ask().status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(found) <= {200, 503}
    assert 200 in found


def test_a_query_that_would_take_the_thread_of_other_requests_does_not_wait(ask):
    with ExitStack() as others:
        for _ in range(reading.MOST_AT_ONCE):
            others.enter_context(reading.room())

        answer = ask()

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"
    assert ask().status_code == 200


def test_a_client_that_leaves_ends_its_query(ask):
    end_query_processes()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert ask(**{"gunicorn.socket": ours}).status_code == 200
    ours, theirs = socket.socketpair()
    theirs.close()
    (process,) = query_processes()
    os.kill(process.pid, signal.SIGSTOP)  # so that it does not answer before the look at the client

    with ours:
        assert ask(**{"gunicorn.socket": ours}).status_code == 499

    assert query_processes() == []
    assert ask().status_code == 200


def query_processes():
    return [one for one in multiprocessing.active_children() if one.name == "limited"]


def end_query_processes():
    for one in query_processes():
        one.kill()
        one.join()
