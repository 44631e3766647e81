"""Limits of a record and of a CSV are checked before the work, whatever one writer sends."""

import json

import pytest

from datasets.errors import MAX_FIELDS_OF_RECORD, MAX_VALUES_OF_RECORD
from datasets.queries import export
from tests.datasets.making import call, make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db

AT = "2024-01-01T00:00:00Z"
FIELDS = f"has more than {MAX_FIELDS_OF_RECORD} fields, those of nested objects included"


def record_of(fields: int) -> dict[str, object]:
    return {"_timestamp": AT, **{f"f{number}": number for number in range(fields - 1)}}


def post(value: object):
    return call("POST", data_set := make_data_set(), make_token(data_set), value), data_set


@pytest.mark.parametrize("is_array", [True, False])
def test_a_record_of_2000_fields_is_stored_and_one_more_is_an_error(is_array):
    data_set = make_data_set()
    secret = make_token(data_set)
    most, over = record_of(MAX_FIELDS_OF_RECORD), record_of(MAX_FIELDS_OF_RECORD + 1)

    taken = call("POST", data_set, secret, [most] if is_array else most)
    refused = call("POST", data_set, secret, [{"_timestamp": AT}, over] if is_array else over)

    assert (taken.status_code, refused.status_code) == (200, 400)
    assert refused.json()["errors"] == [{"index": int(is_array), "field": None, "message": FIELDS}]
    assert data_set.records.count() == 1


def test_nested_fields_count():
    nested = {"_timestamp": AT, "list": [{"a": 1, "b": {"c": 2}}] * 1_000}

    answer, _ = post([nested])

    assert answer.json()["errors"][0]["message"] == FIELDS


def test_colons_in_texts_are_no_fields():
    answer, data_set = post([{"_timestamp": AT, "text": ":" * 10_000, "escaped": '\\":' * 5_000}])

    assert answer.status_code == 200
    assert json.loads(data_set.records.get().body)["escaped"] == '\\":' * 5_000


@pytest.mark.parametrize("value", [b"{}", b"0", b'""'])
def test_a_record_of_too_many_values_is_an_error_of_this_record(value):
    body = b'[{"_timestamp":"%s","list":[%s]}]' % (AT.encode(), b",".join([value] * (MAX_VALUES_OF_RECORD + 2)))

    answer, _ = post(body)

    assert answer.json()["errors"] == [{"index": 0, "field": None, "message": "has more than 500000 values"}]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'[{"_timestamp":"2024-01-01T00:00:00Z"},\n{"a":"\\q"}]', ": line 2 column 7"),
        (b'[{"_timestamp":"2024-01-01T00:00:00Z"},{"a":01}]', ": line 1 column 46"),
        (b'[{"_timestamp":"2024-01-01T00:00:00Z"},]', ": line 1 column 40"),
    ],
)
def test_an_error_in_a_later_record_states_its_place_in_the_body(body, place):
    answer, data_set = post(body)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith("The body is not valid JSON: line ")
    assert place[:8] in answer.json()["message"]
    assert not data_set.records.exists()


@pytest.mark.parametrize("query", ["format=csv", "format=csv&limit=100", "format=csv&sort_by=n:ascending"])
def test_a_csv_of_too_many_columns_is_an_error_that_names_another_format(query):
    data_set = make_data_set()
    secret = make_token(data_set)
    fields = MAX_FIELDS_OF_RECORD - 1
    for number in range(export.MAX_COLUMNS // fields + 1):
        put_in(data_set, [{"_timestamp": AT, **{f"r{number}f{field}": 1 for field in range(fields)}}])

    refused = call("GET", data_set, secret, query=query)
    lines = call("GET", data_set, secret, query="format=ndjson")

    assert refused.status_code == 400
    assert refused.json()["message"] == (
        "The CSV would have more than 10000 columns. Use format=ndjson or format=json, or a shorter range."
    )
    assert b"".join(lines).count(b"\n") == data_set.records.count()
