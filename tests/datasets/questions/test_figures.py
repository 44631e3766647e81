"""Totals, methods, paths, `having`, `select`, `moving` and `compare` equal plain Python on each engine."""

import json
import os
import statistics
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.columns import building
from datasets.models import DataSet
from datasets.queries import engines, escaping, parameters, values
from tests.datasets import plain
from tests.datasets.making import ALL, BOUNDS, call, make_data_set, make_token, put_in
from tests.datasets.questions.drawn_conditions import RECORDS
from tests.datasets.test_answers import CONFIGURATION, NOW, alike, stored_set

pytestmark = pytest.mark.django_db

CONFIGURATION = settings(CONFIGURATION, max_examples=int(os.environ.get("EXAMPLES", "12")))  # two engines for each case


def stamp(moment, **later):
    return (moment + timedelta(**later)).strftime("%FT%TZ")


FIELDS = ["g", "geo.n", "geo.m.n", "no_such_field"]
METHODS = ["first", "last", "stddev", "distinct", "p1", "p50", "p99", "sum", "count", "set", "mean", "min", "max"]
MOMENTS = st.integers(0, 8 * 86_400).map(lambda seconds: stamp(datetime(2024, 2, 27, tzinfo=UTC), seconds=seconds))


def answers(records, pairs):
    """Return the answer of the row store and that of column files."""
    data_set = stored_set(records)
    query = parameters.parse(urlencode(pairs), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    first = engines.grouped(data_set, query, now=NOW, max_rows=100_000)
    building.build(data_set, seconds=60, wait=False)
    data_set = DataSet.objects.get(pk=data_set.pk)
    assert data_set.columns_until is not None
    return first, engines.grouped(data_set, query, now=NOW, max_rows=100_000)


def value_at(record, name):
    """Return a list with the value of a field or path, or an empty list."""
    if name in record:
        return [record[name]]
    value = record
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return []
        value = value[part]
    return [value]


def collected(method, members, name):
    found = [(record, value) for record in members for value in value_at(record, name)]
    kept = [value for _, value in found if value is not None]
    if method in {"first", "last"}:
        scalars = [(record["_timestamp"], record["_id"], value) for record, value in found if is_scalar(value)]
        instants = [(datetime.fromisoformat(at), record_id, value) for at, record_id, value in scalars]
        ordered = sorted(instants, key=lambda each: each[:2])
        return (ordered[0] if method == "first" else ordered[-1])[2] if ordered else None
    return plain.collected(method, kept)


def is_scalar(value):
    return isinstance(value, str | int | float)


def numbered(records):
    return [{**record, "_id": f"r{number:02}"} for number, record in enumerate(records)]


SAFE = RECORDS.map(numbered)


@CONFIGURATION
@given(
    SAFE, st.lists(st.tuples(st.sampled_from(FIELDS), st.sampled_from(METHODS)), min_size=1, max_size=5, unique=True)
)
def test_totals(records, asked):
    pairs = [("collect", f"{name}:{method}") for name, method in asked]
    wanted = {"_count": len(records)}
    wanted |= {f"{name}:{method}": collected(method, records, name) for name, method in asked}
    with transaction.atomic():
        for answer in answers(records, pairs):
            assert alike(answer, [wanted]), (answer, wanted)
        transaction.set_rollback(True)


@CONFIGURATION
@given(SAFE, st.sampled_from(["geo.n", "g"]), st.lists(st.sampled_from(METHODS), min_size=1, unique=True, max_size=4))
def test_groups_by_a_path(records, key, methods):
    groups = {}
    for record in records:
        for value in value_at(record, key):
            if not isinstance(value, list | dict):
                groups.setdefault(values.order(value), []).append(record)
    other = "geo.m.n"
    pairs = [("group_by", key), *(("collect", f"{other}:{method}") for method in methods)]
    with transaction.atomic():
        for answer in answers(records, pairs):
            assert [values.order(row[key]) for row in answer] == sorted(groups)
            for row in answer:
                members = groups[values.order(row[key])]
                wanted = {"_count": len(members)}
                wanted |= {f"{other}:{method}": collected(method, members, other) for method in methods}
                assert alike({name: row[name] for name in wanted}, wanted), row
        transaction.set_rollback(True)


AMOUNTS = st.lists(
    st.fixed_dictionaries(
        {"_timestamp": MOMENTS, "g": st.sampled_from([1, 1.0, "a", None]), "v": st.integers(-9, 9) | st.none()}
    ),
    min_size=1,
    max_size=20,
).map(numbered)


@CONFIGURATION
@given(AMOUNTS, st.sampled_from(["_count", "v:sum", "g"]), st.sampled_from(["=", "<", ">="]), st.integers(0, 5))
def test_having_leaves_groups_out(records, key, operator, number):
    pairs = [("group_by", "g"), ("collect", "v:sum"), ("collect", "v:first"), ("collect", "v:median")]
    with transaction.atomic():
        every, _ = answers(records, pairs)
        holds = {
            "=": lambda value: value == number,
            "<": lambda value: value < number,
            ">=": lambda value: value >= number,
        }
        wanted = [row for row in every if isinstance(row[key], int | float) and holds[operator](row[key])]
        for answer in answers(records, [*pairs, ("having", f"{key} {operator} {number}")]):
            assert answer == wanted
        transaction.set_rollback(True)


@CONFIGURATION
@given(AMOUNTS, st.integers(2, 5), st.booleans())
def test_moving_means(records, length, is_grouped):
    pairs = [("period", "day"), ("start_at", "2024-02-27T00:00:00Z"), ("end_at", "2024-03-07T00:00:00Z")]
    pairs += [("collect", "v:sum"), ("collect", "v:set"), *([("group_by", "g")] if is_grouped else [])]
    with transaction.atomic():
        for plain_answer, answer in zip(
            answers(records, pairs), answers(records, [*pairs, ("moving", str(length))]), strict=True
        ):
            every = [row["values"] for row in answer] if is_grouped else [answer]
            before = [row["values"] for row in plain_answer] if is_grouped else [plain_answer]
            for rows, its in zip(every, before, strict=True):
                assert [{key: row[key] for key in its[0]} for row in rows] == its
                assert set(rows[0]) - set(its[0]) == {"_count:moving", "v:sum:moving"}
                for place, row in enumerate(rows):
                    for key in ("_count", "v:sum"):
                        last = [one[key] for one in its[place + 1 - length : place + 1]] if place + 1 >= length else []
                        numbers = [value for value in last if value is not None]
                        wanted = statistics.fmean(numbers) if numbers else None
                        assert alike(row[f"{key}:moving"], wanted)
        transaction.set_rollback(True)


@CONFIGURATION
@given(AMOUNTS, st.integers(0, 6), st.integers(1, 4), st.sampled_from(["", "group_by=g", "flatten=true&group_by=g"]))
def test_the_previous_period_is_what_its_own_range_gives(records, first_day, days, split):
    start = datetime(2024, 2, 27, tzinfo=UTC) + timedelta(days=first_day)

    def asked(start_at, *more):
        span = [
            ("start_at", start_at.strftime("%FT%TZ")),
            ("end_at", (start_at + timedelta(days=days)).strftime("%FT%TZ")),
        ]
        split_by = [tuple(pair.split("=")) for pair in split.split("&") if pair]
        return [*span, *split_by, ("period", "day"), ("collect", "v:sum"), ("collect", "v:last"), *more]

    with transaction.atomic():
        for before, answer in zip(
            answers(records, asked(start - timedelta(days=days))),
            answers(records, asked(start, ("compare", "previous_period"))),
            strict=True,
        ):
            is_nested = split == "group_by=g"
            rows = (
                [(row["g"], place, one) for row in answer for place, one in enumerate(row["values"])]
                if is_nested
                else [(row.get("g"), row["_start_at"], row) for row in answer]
            )
            known = {}
            for row in before:
                if is_nested:
                    known |= {(values.order(row["g"]), place): one for place, one in enumerate(row["values"])}
                else:
                    at = stamp(datetime.fromisoformat(row["_start_at"]), days=days)
                    known[values.order(row.get("g")), at] = row
            for group, place, row in rows:
                its = known.get((values.order(group), place), {"_count": 0, "v:sum": None, "v:last": None})
                assert row["_previous"] == {key: its[key] for key in ("_count", "v:sum", "v:last")}
        transaction.set_rollback(True)


def ask(data_set, *pairs):
    answer = call("GET", data_set, make_token(data_set), query=urlencode(pairs))
    text = b"".join(answer).decode()
    return answer.status_code, json.loads(text) if answer["Content-Type"] == "application/json" else text


@pytest.fixture
def yearly():
    """Return a data set with one record at the start of each of these days, whose `n` is the day."""
    data_set = make_data_set()
    days = ["2023-02-27", "2023-02-28", "2023-03-01", "2024-02-28", "2024-02-29", "2024-03-01", "2023-01-15"]
    put_in(data_set, [{"_timestamp": f"{day}T00:00:00Z", "_id": day, "n": int(day[-2:])} for day in days])
    return data_set


def test_the_year_before_has_28_february_for_the_29th(yearly):
    status, body = ask(
        yearly,
        *[("period", "day"), ("start_at", "2024-02-28T00:00:00Z"), ("end_at", "2024-03-02T00:00:00Z")],
        *[("collect", "n:sum"), ("compare", "previous_year")],
    )

    assert status == 200
    assert [(row["n:sum"], row["_previous"]["n:sum"]) for row in body["data"]] == [(28, 28), (29, 28), (1, 1)]


def test_whole_months_are_compared_with_the_months_before(yearly):
    status, body = ask(
        yearly,
        *[("period", "month"), ("start_at", "2023-02-01T00:00:00Z"), ("end_at", "2023-03-01T00:00:00Z")],
        *[("collect", "n:sum"), ("compare", "previous_period")],
    )

    assert (status, body["data"][0]["_previous"]) == (200, {"_count": 1, "n:sum": 15})


def test_totals_are_compared(yearly):
    span = [("start_at", "2024-01-01T00:00:00Z"), ("end_at", "2024-12-31T00:00:00Z")]

    status, body = ask(yearly, *span, ("collect", "n:sum"), ("compare", "previous_year"))

    assert (status, body) == (200, {"data": [{"_count": 3, "n:sum": 58, "_previous": {"_count": 4, "n:sum": 71}}]})


def test_a_week_is_compared_with_the_week_52_weeks_before(yearly):
    status, body = ask(
        yearly,
        *[("period", "week"), ("start_at", "2024-02-26T00:00:00Z"), ("end_at", "2024-03-04T00:00:00Z")],
        ("compare", "previous_year"),
    )

    assert (status, body["data"][0]["_count"], body["data"][0]["_previous"]) == (200, 3, {"_count": 3})


def test_csv_has_a_column_for_each_figure_of_the_earlier_range(yearly):
    span = [("start_at", "2024-01-01T00:00:00Z"), ("end_at", "2025-01-01T00:00:00Z")]

    status, text = ask(yearly, *span, ("collect", "n:max"), ("compare", "previous_year"), ("format", "csv"))

    assert (status, text) == (200, "_count,_previous._count,_previous.n:max,n:max\r\n3,4,28,29\r\n")


def test_totals_of_no_records():
    assert ask(make_data_set(), ("collect", "n:sum"), ("collect", "n:count")) == (
        200,
        {"data": [{"_count": 0, "n:sum": None, "n:count": 0}]},
    )


def test_selected_fields_in_the_order_of_the_query():
    data_set = make_data_set()
    put_in(data_set, [{"_id": "a", "_timestamp": "2024-01-01T00:00:00Z", "x": 1, "a:b": [2], "y": None}])
    asked = [("select", name) for name in ("y", "absent", "_id", escaping.escape("a:b"), "_day_start_at")]

    _, body = ask(data_set, *asked)
    assert json.dumps(body["data"]) == '[{"y": null, "_id": "a", "a:b": [2], "_day_start_at": "2024-01-01T00:00:00Z"}]'
    assert ask(data_set, *asked, ("format", "csv")) == (
        200,
        "y,absent,_id,a:b,_day_start_at\r\n,,a,[2],2024-01-01T00:00:00Z\r\n",
    )
    assert ask(data_set, *asked, ("format", "ndjson"))[1].startswith('{"y":null,"_id":"a"')
