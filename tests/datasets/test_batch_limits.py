"""Limits for the work of one batch. Source: docs/reference/data-sets.md §5, §10."""

import gc
import gzip
import sys
import tracemalloc

import pytest

from config.rest import strict_json
from datasets import records
from datasets.errors import MAX_RECORDS, MAX_VALUES_OF_RECORD, RecordsRejected
from datasets.models import Record
from tests.datasets.making import call, make_data_set, make_token

pytestmark = pytest.mark.django_db
TOO_MANY = {"status": "error", "message": "The body has more than 100000 records."}


def array_of(count: int, element: bytes = b"{}") -> bytes:
    return b"[" + b",".join([element] * count) + b"]"


@pytest.mark.parametrize("element", [b"{}", b"1", b'"\\ud800"', b'{"_timestamp":"2024-01-01T00:00:00Z"}'])
@pytest.mark.parametrize("coding", ["identity", "gzip"])
@pytest.mark.fault("E9")
def test_more_than_100000_records_are_rejected(element, coding):
    data_set = make_data_set()
    body = array_of(MAX_RECORDS + 1, element)

    sent = gzip.compress(body) if coding == "gzip" else body
    answer = call("POST", data_set, make_token(data_set), sent, Content_Encoding=coding)

    assert (answer.status_code, answer.json()) == (413, TOO_MANY)
    assert not Record.objects.exists()


def test_100000_rejections_are_counted_and_the_first_100_named():
    data_set = make_data_set()

    answer = call("POST", data_set, make_token(data_set), array_of(MAX_RECORDS))

    body = answer.json()
    assert answer.status_code == 400
    assert body["message"] == "Records refused: 100000 of 100000. Nothing was stored."
    assert body["error_count"] == MAX_RECORDS
    assert [error["index"] for error in body["errors"]] == list(range(100))


def test_a_put_of_any_number_of_records_is_rejected():
    data_set = make_data_set()

    answer = call("PUT", data_set, make_token(data_set), array_of(MAX_RECORDS + 1))

    assert answer.status_code == 400
    assert answer.json()["message"] == "The body must be an empty JSON array: PUT can only empty a data set."


def test_all_rejections_of_one_record_are_counted():
    record = {f"_{number}": 1 for number in range(1000)}

    with pytest.raises(RecordsRejected) as refused:
        list(records.check([record, 7], auto_ids=()))

    assert (refused.value.rejection_count, len(refused.value.rejections)) == (1002, 100)
    assert refused.value.message == "Records refused: 2 of 2. Nothing was stored."


def test_rejections_that_are_not_shown_take_no_memory():
    value = strict_json.loads(array_of(50_000), skip_mark=True, storable=False)

    tracemalloc.start()
    with pytest.raises(RecordsRejected):
        list(records.check(value, auto_ids=()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 2**20


def record_with(value: bytes) -> bytes:
    return b'[{"_timestamp":"2024-01-01T00:00:00Z","list":[' + value + b"]}]"


def test_commas_and_brackets_in_texts_do_not_count():
    data_set = make_data_set()

    answer = call("POST", data_set, make_token(data_set), record_with(b'"' + b"[,{" * MAX_VALUES_OF_RECORD + b'"'))

    assert answer.status_code == 200


def test_a_record_of_many_small_objects_is_checked_without_a_call_for_each():
    record = {"_timestamp": "2024-01-01T00:00:00Z", "list": [{}] * 100_000}

    steps = 0

    def count(frame, event, argument):
        nonlocal steps
        steps += event == "call"

    sys.setprofile(count)
    [parsed] = records.check([record], auto_ids=())
    sys.setprofile(None)

    assert parsed.body.count("{}") == 100_000
    assert steps < 1_000


@pytest.mark.parametrize(("levels", "is_taken"), [(32, True), (33, False)])
@pytest.mark.parametrize("beside", [[], [[]] * 100], ids=["alone", "beside a hundred lists"])
def test_32_levels_are_taken_and_33_are_not(levels, is_taken, beside):
    deep: list = []
    for _ in range(levels - 1):
        deep = [deep]
    record = {"_timestamp": "2024-01-01T00:00:00Z", "deep": deep, "beside": beside}

    def parse():
        return list(records.check([record], auto_ids=()))

    if is_taken:
        assert len(parse()) == 1
    else:
        with pytest.raises(RecordsRejected):
            parse()


def test_a_record_of_many_short_texts_is_stored_in_little_memory():
    data_set = make_data_set()
    body = record_with(array_of(500_000, b'""'))
    token = make_token(data_set)
    call("POST", data_set, token, record_with(b"1"))  # loads what the first request loads

    tracemalloc.start()
    answer = call("POST", data_set, token, body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert answer.status_code == 200
    assert peak < 12 * len(body)


@pytest.mark.parametrize("value", [b'"\\u0000"', b"{},"], ids=["a rejected record", "no JSON"])
def test_a_rejected_body_does_not_wait_for_the_garbage_collection(value):
    data_set = make_data_set()
    token = make_token(data_set)
    body = gzip.compress(record_with(value + b" " * 4_000_000))  # Django's client keeps what is sent
    call("POST", data_set, token, record_with(value))  # loads what the first request loads
    gc.collect()

    tracemalloc.start()
    gc.disable()
    try:
        status = call("POST", data_set, token, body, Content_Encoding="gzip").status_code
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        gc.enable()
        tracemalloc.stop()

    assert status == 400
    assert kept < 2_000_000
