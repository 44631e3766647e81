"""`where` selects the records that a plain Python computation selects, and refuses what is no condition."""

import json
import os
from urllib.parse import urlencode

import pytest
from django.db import transaction
from hypothesis import example, given, settings

from datasets.columns import building
from datasets.models import DataSet
from datasets.queries import engines, parameters, written
from tests.datasets.making import ALL, BOUNDS, call, make_data_set, make_token, put_in
from tests.datasets.questions.drawn_conditions import CONDITIONS, RECORDS, holds, text_of
from tests.datasets.test_answers import CONFIGURATION, NOW, stored_set

pytestmark = pytest.mark.django_db


def found(data_set, text: str) -> set[str]:
    query = parameters.parse(urlencode({"where": text}), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    return {json.loads(written.record(row))["_id"] for row in engines.page(data_set, query).rows}


def counted(data_set, text: str) -> int:
    """Return the number of records that a grouped read counts."""
    asked = {"where": text, "group_by": "_hour_of_day"}
    query = parameters.parse(urlencode(asked), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    return sum(row["_count"] for row in engines.grouped(data_set, query, now=NOW, max_rows=100))


@settings(CONFIGURATION, max_examples=int(os.environ.get("EXAMPLES", "30")))
@given(RECORDS, CONDITIONS)
@example([{"_timestamp": "2024-01-01T00:00:00Z", "g": 2**63}], (("g",), ">", [2**63 - 1]))
@example([{"_timestamp": "2024-01-01T00:00:00Z", "g": 2**53 + 1}], (("g",), "=", [2.0**53]))
@example([{"_timestamp": "2024-01-01T00:00:00Z", "geo": [{"n": 1}]}], (("geo", "n"), "exists", []))
def test_where_equals_plain_python(records, condition):
    numbered = [{**record, "_id": f"r{number:02}"} for number, record in enumerate(records)]
    wanted = {record["_id"] for record in numbered if holds(condition, record)}
    with transaction.atomic():
        data_set = stored_set(numbered)

        assert found(data_set, text_of(condition)) == wanted
        assert counted(data_set, text_of(condition)) == len(wanted)

        building.build(data_set, seconds=60, wait=False)
        data_set = DataSet.objects.get(pk=data_set.pk)
        assert data_set.columns_until is not None
        assert found(data_set, text_of(condition)) == wanted
        assert counted(data_set, text_of(condition)) == len(wanted)
        transaction.set_rollback(True)


AT = "2024-01-01T00:00:00Z"
STORED = [
    {"_id": "a", "_timestamp": AT, "channel": "web", "count": 12, "geo": {"country": "GB"}, "a.b": 1, "Größe": 3},
    {"_id": "b", "_timestamp": "2024-03-01T00:00:00Z", "_start_at": AT, "channel": "phone", "count": 3, "and": True},
    {"_id": "c", "_timestamp": "2024-06-01T00:00:00Z", "channel": None, "status": "404", "a": {"b": 2}},
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ('channel = "web" and count >= 10 and not (status in (404, "404") or geo.country = "DE")', ["a"]),
        ('channel="web"OR channel="phone"', ["a", "b"]),
        ('NOT channel = "web"', ["b", "c"]),
        ("not channel exists", []),
        ("channel is null", ["c"]),
        ("channel Is Not Null", ["a", "b"]),
        ("geo is not null", ["a", "b", "c"]),
        ('channel != "web"', ["b", "c"]),
        ("count != 12", ["b"]),
        ("_timestamp >= @2024-03-01T00:00:00Z", ["b", "c"]),
        ("_timestamp = @2024-03-01T01:00:00+01:00", ["b"]),
        ("_start_at exists", ["b"]),
        ("_start_at != @2025-01-01T00:00:00Z", ["b"]),
        ("_start_at in (@2024-01-01T00:00, @2025-01-01T00:00)", ["b"]),
        ('_id in ("a", "c", 5)', ["a", "c"]),
        ('_id starts_with "b"', ["b"]),
        ("_id != 5", ["a", "b", "c"]),
        ('"a.b" = 1', ["a"]),
        ("a.b = 2", ["c"]),
        ('"a" . "b" = 2', ["c"]),
        ("Größe > 2.5", ["a"]),
        ('"and" = true', ["b"]),
        ("\n\tcount\n<\n5 ", ["b"]),
        ("not not not count exists", ["c"]),
        ('count = 3 or count = 12 and channel = "phone"', ["b"]),
        ("count < true", []),
        ("(" * 50 + "count = 3" + ")" * 50, ["b"]),
    ],
)
def test_conditions(text, ids):
    data_set = make_data_set()
    put_in(data_set, STORED)

    answer = call("GET", data_set, make_token(data_set), query=urlencode({"where": text}))

    assert [record["_id"] for record in answer.json()["data"]] == ids


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "where, character 1: expected a field name, found the end."),
        ("   ", "where, character 1: expected a field name, found the end."),
        ("a", "where, character 2: expected a comparison such as = or in, found the end."),
        ("a b", "where, character 3: expected a comparison such as = or in, found b."),
        ("a == 1", "where, character 4: expected a value, found =."),
        ("a <> 1", "where, character 4: expected a value, found >."),
        ("a = ", "where, character 4: expected a value, found the end."),
        ("a = b", "where, character 5: expected a value, found b."),
        ("a = 'b'", "where, character 5: ' is not allowed here."),
        ("a = 01", "where, character 6: expected and, or, or the end, found 1."),
        ("a = 1.", "where, character 6: expected and, or, or the end, found .."),
        ("a = +1", "where, character 5: + is not allowed here."),
        ("a = 1e400", "where, character 5: the number is too large."),
        ("a = 1" + "0" * 400, "where, character 5: the number is too large."),
        ("a = NaN", "where, character 5: expected a value, found NaN."),
        ('a = "x', "where, character 5: the closing quotation mark is missing."),
        (
            'a = "\\q"',
            "where, character 5: this is not a JSON text; write a line break as \\n and a backslash as \\\\.",
        ),
        ('a = "\\ud800"', "where, character 5: a text cannot contain U+0000 or half of a character."),
        ('a = "\\u0000"', "where, character 5: a text cannot contain U+0000 or half of a character."),
        ('"\\u0000" = 1', "where, character 1: a text cannot contain U+0000 or half of a character."),
        ("a = @2024-01-01", "where, character 5: @2024-01-01 is not a date and time such as @2024-01-01T00:00:00Z."),
        ("a = @", "where, character 5: @ is not a date and time such as @2024-01-01T00:00:00Z."),
        (
            "a < @2024-01-01T00:00:00Z",
            "where, character 5: only _timestamp, _start_at and _end_at can be compared with a time.",
        ),
        (
            '_timestamp > "2024"',
            "where, character 14: _timestamp can only be compared with a time such as @2024-01-01T00:00:00Z.",
        ),
        (
            "_end_at in (@2024-01-01T00:00:00Z, null)",
            "where, character 36: _end_at can only be compared with a time such as @2024-01-01T00:00:00Z.",
        ),
        ("_updated_at exists", "where, character 1: _updated_at is not a field that can be compared."),
        ("_id.x = 1", "where, character 1: _id is not a field that can be compared."),
        ("a contains 5", "where, character 12: contains needs a text in double quotes."),
        ("a starts_with null", "where, character 15: starts_with needs a text in double quotes."),
        ("a in ()", "where, character 3: the list of `in` is empty."),
        ("a in (1 2)", "where, character 9: expected a comma or a closing bracket, found 2."),
        ("a in (1,)", "where, character 9: expected a value, found )."),
        ("a in 5", "where, character 6: expected an opening bracket, found 5."),
        ("a not = 1", "where, character 7: expected in, found =."),
        ("a is 5", "where, character 6: expected null, found 5."),
        ("a is not 5", "where, character 10: expected null, found 5."),
        ("and = 1", "where, character 1: and is a keyword; write a field of this name in double quotes."),
        ("null = 1", "where, character 1: null is a keyword; write a field of this name in double quotes."),
        ("a = 1 and", "where, character 10: expected a field name, found the end."),
        ("a = 1 b = 2", "where, character 7: expected and, or, or the end, found b."),
        ("(a = 1", "where, character 7: expected a closing bracket, found the end."),
        ("a = 1)", "where, character 6: expected and, or, or the end, found )."),
        ("a. = 1", "where, character 4: expected a field name, found =."),
        ("a..b = 1", "where, character 3: expected a field name, found .."),
        ("a:b = 1", "where, character 1: write a name that contains a colon in double quotes."),
        ("1 = a", "where, character 1: expected a field name, found 1."),
        ("a = $1", "where, character 5: $ is not allowed here."),
        ("a = 1; drop", "where, character 6: ; is not allowed here."),
        ("a = (1)", "where, character 5: expected a value, found (."),
        ("(" * 51 + "a = 1" + ")" * 51, "where, character 51: there are more than 50 levels of brackets."),
        ("not a = 1 or " * 200, "where must be at most 2000 characters long."),
        (" or ".join(["a = 1"] * 51), "where can have at most 50 comparisons."),
    ],
)
def test_what_is_no_condition(text, message):
    data_set = make_data_set()

    answer = call("GET", data_set, make_token(data_set), query=urlencode({"where": text}))

    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_the_longest_condition_with_the_most_comparisons():
    data_set = make_data_set()
    put_in(data_set, STORED)
    text = " or ".join([f"count = {number}" for number in range(50)])

    answer = call("GET", data_set, make_token(data_set), query=urlencode({"where": text.ljust(2_000)}))

    assert [record["_id"] for record in answer.json()["data"]] == ["a", "b"]
