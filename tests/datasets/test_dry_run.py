"""A dry run of a write answers what the write would change, or its error, and stores nothing."""

import gzip
import json

import pytest
from django.test.utils import CaptureQueriesContext

from datasets.models import AccessToken, DataSet, DataSetDay, RememberedKey, WriteError
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records, stored

pytestmark = pytest.mark.django_db

DRY = "dry_run=true"


@pytest.fixture
def data_set() -> DataSet:
    return make_data_set()


@pytest.fixture
def secret(data_set) -> str:
    return make_token(data_set)


def state(data_set) -> tuple[object, ...]:
    counts = [model.objects.count() for model in (DataSetDay, RememberedKey, WriteError)]
    columns = DataSet.objects.values("record_count", "revision", "last_write_at").get(pk=data_set.pk)
    return stored(data_set), columns, counts


def test_a_post_counts_new_and_replaced_records_and_stores_nothing(data_set, secret):
    put_in(data_set, some_records(2))
    before = state(data_set)

    answer = call("POST", data_set, secret, some_records(100), query=DRY)

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "dry_run": True, "records": 100, "new": 98, "replaced": 2}
    assert answer.headers["Cache-Control"] == "no-store"
    assert state(data_set) == before


def test_an_id_that_occurs_twice_counts_once_as_in_the_real_call(data_set, secret):
    put_in(data_set, some_records(1))
    twice = [*some_records(3), *some_records(3, last=True), {"_timestamp": "2024-01-01T00:00:00Z"}]

    dry = call("POST", data_set, secret, twice, query=DRY).json()
    call("POST", data_set, secret, twice)

    assert (dry["records"], dry["new"], dry["replaced"]) == (4, 3, 1)
    data_set.refresh_from_db()
    assert data_set.record_count == 1 + dry["new"]


def test_computed_ids_find_the_records_that_they_would_replace():
    data_set = make_data_set(auto_ids=["page"])
    secret = make_token(data_set)
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "page": "/a"}])
    pages = [{"_timestamp": "2024-02-01T00:00:00Z", "page": page} for page in ("/a", "/b")]

    assert call("POST", data_set, secret, pages, query=DRY).json()["replaced"] == 1


def test_more_ids_than_fit_into_one_statement_are_counted(data_set, secret):
    put_in(data_set, some_records(5_001))

    answer = call("POST", data_set, secret, some_records(10_050), query=DRY).json()

    assert (answer["new"], answer["replaced"]) == (5_049, 5_001)


def test_a_put_counts_the_records_that_it_would_delete(data_set, secret):
    put_in(data_set, some_records(7))
    before = state(data_set)

    answer = call("PUT", data_set, secret, [], query=DRY)

    assert answer.json() == {"status": "ok", "dry_run": True, "records": 0, "removed": 7}
    assert state(data_set) == before


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    "query", ["", "=", "=false", "=True", "=1", "=true&dry_run=true", "=true&dry_run=", "=tru%65 "]
)
def test_any_other_value_is_an_error_and_nothing_is_written(data_set, secret, method, query):
    put_in(data_set, some_records(2))
    before = state(data_set)

    answer = call(method, data_set, secret, [] if method == "PUT" else some_records(5), query=f"dry_run{query}")

    assert (answer.status_code, answer.json()["message"]) == (400, "dry_run must be true.")
    assert state(data_set) == before


@pytest.mark.parametrize(
    ("method", "body", "headers"),
    [
        ("POST", [{"n": 1}], {}),
        ("POST", b"[", {}),
        ("POST", b"", {}),
        ("POST", [], {}),
        ("POST", 7, {}),
        ("POST", [{}], {"Idempotency_Key": "a b"}),
        ("POST", b"no gzip", {"Content_Encoding": "gzip"}),
        ("PUT", [{}], {}),
        ("PUT", {}, {}),
    ],
)
def test_an_error_is_that_of_the_real_call_and_is_not_logged(data_set, secret, method, body, headers):
    before = state(data_set)

    dry = call(method, data_set, secret, body, query=DRY, **headers)
    after = state(data_set)
    real = call(method, data_set, secret, body, **headers)

    assert dry.status_code == real.status_code >= 400
    assert dry.json() == real.json()
    assert dry.headers["Link"] == real.headers["Link"]
    assert after == before


def test_tokens_are_checked_before_the_parameter(data_set, secret):
    reader = make_token(data_set, "read")

    assert call("POST", data_set, "unknown", [{}], query="dry_run=x").status_code == 401
    assert call("POST", data_set, reader, [{}], query=DRY).status_code == 403


def test_an_idempotency_key_is_compared_and_not_stored(data_set, secret):
    key = {"Idempotency_Key": "k1"}

    assert call("POST", data_set, secret, some_records(3), query=DRY, **key).json()["new"] == 3
    assert not RememberedKey.objects.exists()
    call("POST", data_set, secret, some_records(3), **key)
    again = call("POST", data_set, secret, some_records(3), query=DRY, **key)
    other = call("POST", data_set, secret, some_records(4), query=DRY, **key)

    assert again.json() == {"status": "ok", "dry_run": True, "records": 3, "new": 0, "replaced": 0}
    assert again.headers["Idempotent-Replay"] == "true"
    assert other.status_code == 422


def test_gzip_and_other_parameters_are_accepted(data_set, secret):
    body = gzip.compress(json.dumps(some_records(3)).encode())

    answer = call("POST", data_set, secret, body, query=f"format=csv&{DRY}&dryrun=no", Content_Encoding="gzip")

    assert answer.json()["new"] == 3


def test_a_dry_run_reads_only(data_set, secret, django_assert_max_num_queries):
    call("POST", data_set, secret, some_records(1))
    with django_assert_max_num_queries(4) as captured:
        call("POST", data_set, secret, some_records(10), query=DRY)

    assert isinstance(captured, CaptureQueriesContext)
    assert all(query["sql"].lstrip().upper().startswith("SELECT") for query in captured.captured_queries)
    assert AccessToken.objects.count() == 1


def test_reads_do_not_know_the_parameter(data_set, secret):
    assert call("GET", data_set, secret, query=DRY).json()["message"] == "Unknown parameter: dry_run."
