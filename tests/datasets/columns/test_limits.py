"""A query that needs too much time or memory is 400, a busy query process 503, and other requests go on."""

import threading

import pytest
from django.db import connection
from django.test import Client

from datasets.columns import building
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
    return lambda: Client().get(url, headers={"Authorization": f"Bearer {secret}"})


def test_too_much_time(ask, settings):
    assert ask().status_code == 200
    settings.DATABASE_STATEMENT_SECONDS = 0.001

    answer = ask()

    assert answer.status_code == 400
    assert answer.json()["message"].startswith("This query takes longer than 0.001 seconds. Ask for a shorter period")
    assert "Retry-After" not in answer.headers
    settings.DATABASE_STATEMENT_SECONDS = 5
    assert ask().status_code == 200


def test_too_much_memory(ask, settings):
    settings.QUERY_MEMORY_MB = 161  # 1 MB for DuckDB

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
