"""`on_error=keep` stores the valid records of a POST and keeps the others for 7 days, encrypted."""

import gzip
import json
from datetime import timedelta

import pytest
from django.utils import timezone

from datasets.models import DataSet, DataSetDay, RejectedRecord, WriteError
from datasets.records import keeping
from tests.cleaning import clean_up
from tests.datasets.making import call, make_data_set, make_token, put_in, stored

pytestmark = pytest.mark.django_db
MOMENT = "2024-01-01T00:00:00Z"
GOOD = {"_id": "a", "_timestamp": MOMENT, "n": 1}
BAD = {"_id": "b", "_timestamp": "yesterday", "n": 2}


@pytest.fixture
def data_set():
    return make_data_set()


@pytest.fixture
def secret(data_set):
    return make_token(data_set)


def keep(data_set, secret, body, **headers):
    return call("POST", data_set, secret, body, query="on_error=keep", **headers)


def texts(data_set) -> list[str]:
    return [row.element().text for row in RejectedRecord.objects.waiting(data_set.pk)]


def test_valid_records_are_stored_and_the_others_kept(data_set, secret):
    answer = keep(data_set, secret, [GOOD, BAD, 7, {**GOOD, "_id": "c"}])

    assert answer.status_code == 207
    assert answer.json() == {
        "status": "partial",
        "stored": 2,
        "message": "Records stored: 2 of 4. Records refused: 2.",
        "errors": [
            {
                "index": 1,
                "field": "_timestamp",
                "message": "must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z",
            },
            {"index": 2, "field": None, "message": "must be an object"},
        ],
        "error_count": 2,
    }
    assert answer.headers["Cache-Control"] == "no-store"
    assert set(stored(data_set)) == {"a", "c"}
    assert [json.loads(text) for text in texts(data_set)] == [BAD, 7]
    assert all(b"yesterday" not in bytes(row.encrypted_content) for row in RejectedRecord.objects.all())
    day = DataSetDay.objects.get()
    assert (day.writes, day.records, day.refused) == (1, 2, 1)
    assert WriteError.objects.get().status == 207
    assert DataSet.objects.get().record_count == 2


def test_if_all_are_valid_the_answer_is_as_always(data_set, secret):
    answer = keep(data_set, secret, [GOOD])

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert not RejectedRecord.objects.exists()


def test_all_can_be_refused(data_set, secret):
    answer = keep(data_set, secret, [BAD])

    assert (answer.status_code, answer.json()["stored"]) == (207, 0)
    assert stored(data_set) == {}
    assert DataSet.objects.get().last_write_at is None


def test_one_object_counts_as_an_array_of_one(data_set, secret):
    assert keep(data_set, secret, b'{"_timestamp": 1, "n": 1e400}').json()["error_count"] == 2
    assert texts(data_set) == ['{"_timestamp": 1, "n": 1e400}']


def test_the_same_id_twice_counts_as_sent(data_set, secret):
    answer = keep(data_set, secret, [GOOD, {**GOOD, "n": 2}, BAD])

    assert answer.json()["stored"] == 2
    assert stored(data_set)["a"]["n"] == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"[]", 400), (b"null", 400), (b" ", 400), (b'[{"a": NaN}]', 400), (b"\xff", 400), (b'["\xff"]', 400)],
)
def test_a_body_without_records_is_refused_as_a_whole(data_set, secret, body, status):
    assert keep(data_set, secret, body).status_code == status
    assert not RejectedRecord.objects.exists()


@pytest.mark.parametrize("query", ["on_error=", "on_error=stop", "on_error=keep&on_error=keep", "on_error=KEEP"])
def test_other_values_are_refused(data_set, secret, query):
    answer = call("POST", data_set, secret, [GOOD], query=query)

    assert (answer.status_code, answer.json()["message"]) == (400, "on_error must be keep.")
    assert stored(data_set) == {}


def test_the_same_key_gets_the_same_answer(data_set, secret):
    body = [{"_timestamp": MOMENT}, BAD]
    first = keep(data_set, secret, body, Idempotency_Key="k")
    again = keep(
        data_set, secret, gzip.compress(json.dumps(body).encode()), Idempotency_Key="k", Content_Encoding="gzip"
    )

    assert (again.status_code, again.json()) == (207, first.json())
    assert again.headers["Idempotent-Replay"] == "true"
    assert len(stored(data_set)) == RejectedRecord.objects.count() == 1
    assert call("POST", data_set, secret, body, Idempotency_Key="k").status_code == 422
    assert keep(data_set, secret, [GOOD], Idempotency_Key="k").status_code == 422


def test_a_dry_run_stores_and_keeps_nothing(data_set, secret):
    put_in(data_set, [GOOD])
    body = [{**GOOD, "n": 5}, {"_timestamp": MOMENT}, BAD]

    answer = call("POST", data_set, secret, body, query="dry_run=true&on_error=keep")

    counts = {name: answer.json()[name] for name in ("status", "dry_run", "records", "new", "replaced", "stored")}
    assert answer.status_code == 207
    assert counts == {"status": "partial", "dry_run": True, "records": 2, "new": 1, "replaced": 1, "stored": 2}
    assert answer.json()["errors"][0]["index"] == 2
    assert stored(data_set)["a"]["n"] == 1
    assert not RejectedRecord.objects.exists()
    whole = call("POST", data_set, secret, body[:2], query="dry_run=true&on_error=keep")
    assert whole.json() == {"status": "ok", "dry_run": True, "records": 2, "new": 1, "replaced": 1}


def test_a_long_record_is_not_kept_but_its_reason_is(data_set, secret):
    answer = keep(data_set, secret, [{"n": "x" * keeping.MAX_KEPT_BYTES}, GOOD])

    assert answer.json()["errors"] == [{"index": 0, "field": "_timestamp", "message": "is required"}]
    assert texts(data_set) == [""]


def test_at_most_ten_thousand_are_kept_and_the_newest_stay(data_set, secret):
    keep(data_set, secret, [{"n": number} for number in range(10_005)])
    assert RejectedRecord.objects.count() == 10_000
    assert json.loads(texts(data_set)[0]) == {"n": 0}

    answer = keep(data_set, secret, [GOOD, *({"new": number} for number in range(3))])

    assert answer.json()["stored"] == 1
    assert RejectedRecord.objects.count() == 10_000
    assert [json.loads(text) for text in texts(data_set)[:4]] == [{"new": 0}, {"new": 1}, {"new": 2}, {"n": 0}]


def test_rejected_records_are_deleted_after_7_days(data_set, secret):
    keep(data_set, secret, [BAD, BAD])
    RejectedRecord.objects.filter(index=0).update(at=timezone.now() - timedelta(days=7, seconds=1))

    assert clean_up("rejected-records").removed == 1
    assert RejectedRecord.objects.get().index == 1


def test_many_valid_records_are_stored_at_once(data_set, secret):
    body = [{"_id": f"r{number}", "_timestamp": MOMENT} for number in range(2_500)]

    assert keep(data_set, secret, [*body, BAD]).json()["stored"] == 2_500
    assert keep(data_set, secret, [*body, BAD]).json()["stored"] == 2_500
    assert len(stored(data_set)) == 2_500


def test_a_read_token_may_not(data_set):
    assert keep(data_set, make_token(data_set, "read"), [GOOD, BAD]).status_code == 403


def test_of_one_body_at_most_16_mib_are_kept(data_set, secret):
    body = [{"n": "x" * 200_000} for _ in range(100)]

    assert keep(data_set, secret, body).json()["error_count"] == 100
    assert sum(map(bool, texts(data_set))) == keeping.MAX_KEPT_BYTES_OF_BODY // len(json.dumps(body[0]))
