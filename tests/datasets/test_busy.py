"""If the database is busy, a request gets 503 and stores nothing, and the next request succeeds."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client

from datasets.management import demo
from datasets.models import DataSet, DataSetDay
from tests.datasets.making import call, make_data_set, make_token, some_records


@pytest.fixture
def elsewhere() -> Callable[[Callable[[], object]], object]:
    """Run a function in another thread, which has its own connection."""

    def run(work: Callable[[], object]) -> object:
        results: list[object] = []

        def body() -> None:
            try:
                results.append(work())
            finally:
                connection.close()

        thread = threading.Thread(target=body)
        thread.start()
        thread.join(30)
        return results[0]

    return run


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_lock_that_is_not_free_in_time_gets_503(elsewhere, method):
    data_set = make_data_set()
    secret = make_token(data_set)
    call("POST", data_set, secret, some_records(1))
    body = some_records(2) if method == "POST" else []

    with transaction.atomic():
        DataSet.objects.select_for_update().get(pk=data_set.pk)
        busy = elsewhere(lambda: call(method, data_set, secret, body, Idempotency_Key="k"))
    count = data_set.records.count()
    after = call(method, data_set, secret, body, Idempotency_Key="k")

    assert busy.status_code == 503
    assert busy.json() == {"status": "error", "message": "The service is busy; try again."}
    assert (busy.headers["Retry-After"], busy.headers["Cache-Control"]) == ("1", "no-store")
    assert count == 1
    assert after.status_code == 200
    assert "Idempotent-Replay" not in after.headers


@pytest.mark.django_db(transaction=True)
def test_writers_of_the_same_few_records_are_all_counted_and_none_twice():
    data_set = make_data_set()
    secret = make_token(data_set)

    def write(first: int) -> list[int]:
        try:
            return [
                call("POST", data_set, secret, some_records(first + 3)[first + step % 2 :]).status_code
                for step in range(10)
            ]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as writers:
        answers = [status for statuses in writers.map(write, range(4)) for status in statuses]

    data_set.refresh_from_db()
    day = DataSetDay.objects.get(data_set=data_set)
    assert set(answers) == {200}
    assert (data_set.record_count, data_set.records.count(), data_set.revision) == (6, 6, 40)
    assert (day.writes, day.records) == (40, 4 * 5 * (3 + 2))


@pytest.mark.django_db(transaction=True)
def test_writers_of_one_record_of_many_and_of_none_do_not_deadlock():
    """Each kind of write locks the data set before its records, so that they cannot deadlock."""
    data_set = make_data_set()
    secret = make_token(data_set)
    bodies = {"one": some_records(1), "many": some_records(300), "many backwards": some_records(300)[::-1], "none": []}

    def write(kind: str) -> list[int]:
        method = "PUT" if kind == "none" else "POST"
        try:
            return [call(method, data_set, secret, bodies[kind]).status_code for _ in range(8)]
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as writers:
        answers = [status for statuses in writers.map(write, [*bodies, "one"]) for status in statuses]

    data_set.refresh_from_db()
    day = DataSetDay.objects.get(data_set=data_set)
    assert set(answers) == {200}
    assert data_set.record_count == data_set.records.count()
    assert 32 < data_set.revision <= 40  # emptying an empty data set changes nothing
    assert (day.writes, day.records) == (32, 2 * 8 * (1 + 300))


@pytest.mark.django_db(transaction=True)
def test_a_data_set_that_is_deleted_while_a_writer_waits_stores_nothing():
    data_set = make_data_set()
    secret = make_token(data_set)
    with ThreadPoolExecutor(1) as writers:
        with transaction.atomic():
            DataSet.objects.select_for_update().get(pk=data_set.pk)
            waiting = writers.submit(_call_and_close, data_set, secret)
            time.sleep(0.3)  # time for the writer to wait; a later one finds no token and is rejected as well
            data_set.delete()
        answer = waiting.result(30)

    assert answer.status_code in (401, 404)  # 404 if it was authenticated before
    assert DataSetDay.objects.count() == 0


def _call_and_close(data_set: DataSet, secret: str) -> Any:
    try:
        return call("POST", data_set, secret, some_records(1))
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_record_outside_the_sample_is_overwritten():
    """Only 20 ids are looked up to decide whether a batch is new; here other ids exist."""
    data_set = make_data_set()
    secret = make_token(data_set)
    values = some_records(501)
    call("POST", data_set, secret, [{**values[7], "old": True}])

    answer = call("POST", data_set, secret, values)

    data_set.refresh_from_db()
    assert answer.status_code == 200
    assert data_set.record_count == data_set.records.count() == 501
    assert "old" not in data_set.records.get(record_id="r000007").body


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_new", [True, False], ids=["copied", "replaced"])
def test_the_time_limit_of_a_batch_grows_with_its_records(is_new):
    if connection.vendor != "postgresql":
        return  # SQLite has no time limit for writes
    data_set = make_data_set()
    secret = make_token(data_set)
    values = some_records(60_000)
    if not is_new:
        call("POST", data_set, secret, values)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '50ms'")

    answer = call("POST", data_set, secret, values)

    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        after = cursor.fetchone()[0]
        cursor.execute("SET statement_timeout = '5s'")
    assert (answer.status_code, data_set.records.count()) == (200, 60_000)
    assert after == "50ms"  # the longer limit ends with the transaction


@pytest.mark.django_db
@pytest.mark.fault("H8")
def test_an_unexpected_error_gets_500_without_details(settings):
    data_set = make_data_set()
    secret = make_token(data_set)
    settings.DATASETS_MAX_BODY_BYTES = "not a number"

    answer = call("POST", data_set, secret, some_records(1))

    assert answer.status_code == 500
    assert answer.json() == {"status": "error", "message": "The service failed to answer this request."}


@pytest.mark.django_db
def test_demo_data_is_created_once_and_its_token_works():
    first = demo.make({})
    secret = first.variables["DATA_TOKEN"]
    counts = dict(DataSet.objects.values_list("type__name", "record_count"))

    again = demo.make({"DATA_TOKEN": secret})

    visits = DataSet.objects.at("demo", "visits").get()
    assert again.variables == {"DATA_TOKEN": secret}
    assert first.lines[0] == f"Data token   DATA_TOKEN={secret}   for demo/visits"
    assert counts == {
        "visits": 14 * 24 * 3,
        "satisfaction": 26,
        "queue-times": 49,
        "transactions": 112 * 3,
        "steps": 112 * 2,
        "ratings": 112 * 5,
        "costs": 26,
    }
    assert dict(DataSet.objects.values_list("type__name", "record_count")) == counts
    assert call("POST", visits, secret, some_records(1)).status_code == 200
    assert Client().get("/data/demo/satisfaction").status_code == 200


@pytest.mark.django_db
def test_a_lost_demo_token_is_replaced_and_the_old_one_revoked():
    old = demo.make({}).variables["DATA_TOKEN"]

    new = demo.make({}).variables["DATA_TOKEN"]

    visits = DataSet.objects.at("demo", "visits").get()
    assert call("GET", visits, old).status_code == 401
    assert call("GET", visits, new).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_an_export_whose_records_cannot_be_read_gets_503(form):
    data_set = make_data_set()
    secret = make_token(data_set)
    call("POST", data_set, secret, some_records(1))

    def away(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if "datasets_record" in sql:
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, *rest)

    with connection.execute_wrapper(away):
        answer = call("GET", data_set, secret, query=f"format={form}")

    assert answer.status_code == 503
    assert answer.json() == {"status": "error", "message": "The service is busy; try again."}
