"""A data set learns a schema, and checks new records against a given one."""

import json

import pytest
from django.test import Client

from config.audit.models import AuditEvent
from datasets import errors
from datasets.models import DataSet, FieldDrift, RejectedRecord, WriteError
from datasets.records.schemas import fitting
from datasets.store import fields_seen
from tests.datasets.making import call, make_data_set, make_token, put_in, stored
from tests.datasets.test_single_records import ask

pytestmark = pytest.mark.django_db
MOMENT = "2024-01-01T00:00:00Z"
VISITS = {
    "type": "object",
    "properties": {
        "_timestamp": {"type": "string"},
        "_id": {"type": "string"},
        "channel": {"enum": ["web", "phone"]},
        "count": {"type": "integer", "minimum": 0},
        "parts": {"type": "array", "items": {"type": "object", "required": ["price"]}},
    },
    "required": ["count"],
    "additionalProperties": False,
}
GOOD = {"_timestamp": MOMENT, "_id": "a", "channel": "web", "count": 1}


@pytest.fixture
def data_set():
    return make_data_set()


@pytest.fixture
def secret(data_set):
    return make_token(data_set)


def schema(method, data_set, secret, body=None, query=""):
    path = f"/data/{data_set.group}/{data_set.type}/schema{query}"
    data = b"" if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {secret}"}
    return Client().generic(method, path, data, content_type="application/json", headers=headers)


def drifts(data_set) -> dict[tuple[str, str], int]:
    return {(one.field, one.drift): one.records for one in FieldDrift.objects.filter(data_set=data_set)}


def test_a_schema_is_learned_from_the_records(data_set, secret):
    put_in(
        data_set,
        [
            {
                "_timestamp": MOMENT,
                "channel": one,
                "count": number,
                "note": None if number else f"n{number}",
                "x": {"y": 1},
            }
            for number, one in enumerate(["web", "phone", "web"])
        ],
    )
    put_in(data_set, [{"_timestamp": MOMENT, "channel": "web", "count": 7.5, "x": {}}])

    answer = schema("GET", data_set, secret)

    assert answer.headers["Content-Type"] == "application/schema+json"
    assert answer.headers["Signalbox-Schema"] == "learned; mode=off"
    learned = answer.json()
    assert learned["properties"]["channel"] == {"type": "string", "enum": ["phone", "web"]}
    assert learned["properties"]["count"] == {"type": "number", "minimum": 0, "maximum": 7.5}
    assert learned["properties"]["note"]["type"] == ["null", "string"]
    assert learned["properties"]["x"] == {"type": "object", "properties": {"y": {"type": "integer"}}}
    assert set(learned["required"]) == {"_timestamp", "channel", "count", "x"}


def test_an_empty_data_set_has_an_empty_schema(data_set, secret):
    answer = schema("GET", data_set, secret)

    assert (answer.status_code, answer.json()["type"]) == (200, "object")


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_a_learned_schema_accepts_the_records_that_it_was_learned_from(data_set, secret, mode):
    records = [{"_timestamp": MOMENT, "_id": str(n), "a": n, "b": "x" if n % 2 else None, "c": [n]} for n in range(40)]
    put_in(data_set, records)
    learned = schema("GET", data_set, secret).json()
    assert schema("PUT", data_set, secret, learned, f"?mode={mode}").json() == {"status": "ok", "mode": mode}

    answer = call("POST", data_set, secret, call("GET", data_set, secret).json()["data"])

    assert (answer.status_code, "Signalbox-Warnings" in answer.headers) == (200, False)


def test_enforced_schemas_reject_with_index_field_and_expectation(data_set, secret):
    schema("PUT", data_set, secret, VISITS, "?mode=enforce")
    assert call("POST", data_set, secret, [GOOD]).status_code == 200
    wrong = [
        GOOD,
        {**GOOD, "channel": "fax", "count": "many"},
        {**GOOD, "count": -1},
        {"_timestamp": MOMENT},
        {**GOOD, "extra": 1},
        {**GOOD, "parts": [{"price": 1}, {}]},
        {"_timestamp": "yesterday", "count": "x"},
    ]

    answer = call("POST", data_set, secret, wrong)

    assert answer.status_code == 400
    assert [(one["index"], one["field"], one["message"]) for one in answer.json()["errors"]] == [
        (1, "channel", "must be one of web, phone"),
        (1, "count", "must be a whole number"),
        (2, "count", "must be at least 0"),
        (3, "count", "is required"),
        (4, "extra", "is not allowed by the schema"),
        (5, "parts", "must have the field “price” in element 2"),
        (6, "_timestamp", "must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z"),
    ]
    assert set(stored(data_set)) == {"a"}
    assert WriteError.objects.get().field == "channel"
    assert drifts(data_set)[("count", "field gone")] == 1
    assert drifts(data_set)[("extra", "new field")] == 1


def test_enforced_schemas_keep_back_with_on_error_keep(data_set, secret):
    schema("PUT", data_set, secret, VISITS, "?mode=enforce")

    answer = call("POST", data_set, secret, [GOOD, {**GOOD, "count": -1}], query="on_error=keep")

    assert (answer.status_code, answer.json()["stored"]) == (207, 1)
    assert answer.json()["errors"] == [{"index": 1, "field": "count", "message": "must be at least 0"}]
    assert RejectedRecord.objects.count() == 1


def test_warnings_are_counted_and_the_records_stored(data_set, secret):
    schema("PUT", data_set, secret, VISITS, "?mode=warn")

    answer = call(
        "POST", data_set, secret, [GOOD, {**GOOD, "_id": "b", "count": "x"}, {**GOOD, "_id": "c", "count": -1}]
    )

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert answer.headers["Signalbox-Warnings"] == "2"
    assert set(stored(data_set)) == {"a", "b", "c"}
    assert drifts(data_set) == {("count", "type changed"): 1, ("count", "value out of range"): 1}
    assert call("POST", data_set, secret, [{**GOOD, "count": -2}]).headers["Signalbox-Warnings"] == "1"
    assert drifts(data_set)[("count", "value out of range")] == 2


def test_a_dry_run_checks_the_schema(data_set, secret):
    schema("PUT", data_set, secret, VISITS, "?mode=enforce")

    assert call("POST", data_set, secret, [{"_timestamp": MOMENT}], query="dry_run=true").status_code == 400
    assert drifts(data_set) == {}


def test_one_record_is_checked_too(data_set, secret):
    put_in(data_set, [GOOD])
    schema("PUT", data_set, secret, VISITS, "?mode=enforce")

    refused = ask("PUT", data_set, secret, "a", {**GOOD, "count": -5})
    assert refused.json()["errors"] == [{"index": 0, "field": "count", "message": "must be at least 0"}]
    whole = ask("GET", data_set, secret, "a").json()
    assert ask("PUT", data_set, secret, "a", {**whole, "count": 5}).status_code == 200


@pytest.mark.parametrize("mode", ["off", "warn", "enforce"])
def test_the_mode_stays_if_no_other_is_given(data_set, secret, mode):
    schema("PUT", data_set, secret, VISITS, f"?mode={mode}")
    assert schema("PUT", data_set, secret, {"type": "object"}).json()["mode"] == mode
    assert schema("GET", data_set, secret).headers["Signalbox-Schema"] == f"given; mode={mode}"
    assert DataSet.objects.get().schema_mode == mode
    assert AuditEvent.objects.filter(verb="changed_schema").count() == 2


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([], "Enter a JSON object"),
        (5, "Enter a JSON object"),
        ({"type": "nonsense"}, "This is not a valid schema"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "Use JSON Schema 2020-12"),
        ({"$schema": 5}, "Use JSON Schema 2020-12"),
        ({"$ref": "http://127.0.0.1/schema"}, "must begin with #/"),
        ({"$ref": "#/$defs/a"}, "names no part"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}, "refers to itself"),
        ({"properties": {"a": {"$ref": "#"}}}, "must begin with #/"),
        ({"properties": {"a": {"$dynamicRef": "#a"}}}, "is not supported"),
        ({"properties": {"a": {"$id": "http://x.example/"}}}, "at the top only"),
        ({"pattern": "(?=a)b"}, "This is not a valid schema"),
        ({"pattern": "(((a{100}){100}){100})"}, "This is not a valid schema"),
        ({"description": "x" * 70_000}, "at most 65,536 bytes"),
        ({"enum": [f"v{n}" for n in range(9)], "not": None}, "This is not a valid schema"),
    ],
    ids=str,
)
def test_a_schema_that_cannot_be_used_is_refused_with_the_reason(data_set, secret, given, text):
    answer = schema("PUT", data_set, secret, given)

    assert answer.status_code == 400, answer.content
    assert text in answer.json()["message"]
    assert schema("GET", data_set, secret).headers["Signalbox-Schema"] == "learned; mode=off"


def test_references_that_multiply_are_refused(data_set, secret):
    parts = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 3} for n in range(40)}
    given = {"$ref": "#/$defs/a0", "$defs": {**parts, "a40": {}}}

    assert "subschemas" in schema("PUT", data_set, secret, given).json()["message"]
    deep = {}
    for _ in range(50):
        deep = {"not": deep}
    assert "too deep" in schema("PUT", data_set, secret, deep).json()["message"]


@pytest.mark.parametrize("query", ["?mode=on", "?mode=", "?mode=warn&mode=warn"])
def test_other_modes_are_refused(data_set, secret, query):
    answer = schema("PUT", data_set, secret, VISITS, query)

    assert (answer.status_code, answer.json()["message"]) == (400, "mode must be off, warn or enforce.")


def test_methods_and_scopes(data_set):
    reader, writer = make_token(data_set, "read"), make_token(data_set, "write")
    assert schema("GET", data_set, writer).status_code == 403
    assert schema("GET", data_set, reader).status_code == 200
    assert schema("PUT", data_set, reader, VISITS).status_code == 403
    assert schema("PUT", data_set, writer, VISITS).status_code == 200
    other = schema("POST", data_set, writer, VISITS)
    assert (other.status_code, other.headers["Allow"]) == (405, "GET, HEAD, PUT, OPTIONS")


def test_drift_of_a_data_set_without_a_mode_is_counted_by_samples(data_set):
    put_in(data_set, [{"_timestamp": MOMENT, "_id": f"a{n}", "n": n, "gone": 1} for n in range(5)])
    fields_seen.note(DataSet.objects.get())
    assert drifts(data_set) == {}
    put_in(data_set, [{"_timestamp": MOMENT, "_id": f"b{n}", "n": "text", "new": 1} for n in range(3)])
    put_in(data_set, [{"_timestamp": MOMENT, "_id": "c", "n": 99, "gone": 1}])

    fields_seen.note(DataSet.objects.get())

    assert drifts(data_set) == {
        ("n", "type changed"): 3,
        ("new", "new field"): 3,
        ("gone", "field gone"): 3,
        ("n", "value out of range"): 1,
    }


def test_new_fields_are_counted_by_samples_in_every_mode(data_set, secret):
    open_schema = {"properties": {"n": {"type": "integer"}}}
    put_in(data_set, [{"_timestamp": MOMENT, "_id": "a", "n": 1}])
    schema("PUT", data_set, secret, open_schema, "?mode=warn")
    fields_seen.note(DataSet.objects.get())
    call("POST", data_set, secret, [{"_timestamp": MOMENT, "_id": "b", "n": "x", "more": 1}])

    fields_seen.note(DataSet.objects.get())

    assert drifts(data_set) == {("n", "type changed"): 1, ("more", "new field"): 1}


def test_a_schema_that_takes_too_long_stops_the_write(data_set, secret, monkeypatch):
    schema("PUT", data_set, secret, VISITS, "?mode=warn")
    monkeypatch.setattr(fitting, "MAX_SECONDS", 0)

    answer = call("POST", data_set, secret, [GOOD])

    assert (answer.status_code, answer.json()["message"]) == (400, str(errors.SchemaTakesTooLong()))
    assert stored(data_set) == {}
    assert call("POST", data_set, secret, [GOOD], query="on_error=keep").status_code == 400
