"""Column files give the answers of the row store, byte for byte, whatever was written between."""

import json
import os
import re
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.test import override_settings
from hypothesis import example, given, settings
from hypothesis import strategies as st

from config.audit import COMMAND
from datasets import store
from datasets.columns import building
from datasets.errors import NoSuchRecord, TooManyRows
from datasets.models import DataSet
from datasets.queries import csv_lines, engines, escaping, header, parameters, written
from datasets.queries.methods import METHODS
from datasets.store import one_record
from datasets.store.one_record import RecordEdit
from tests.datasets.making import ALL, BOUNDS, put_in
from tests.datasets.test_answers import (
    CONFIGURATION,
    DIRECTIONS,
    MOMENTS,
    NAMES,
    NOW,
    RECORDS,
    filters,
    questions,
    stored_set,
)

pytestmark = pytest.mark.django_db
CONFIGURATION = settings(
    CONFIGURATION, max_examples=int(os.environ.get("EXAMPLES", "25"))
)  # thousands: docs/testing.md


def built(data_set) -> DataSet:
    building.build(data_set, seconds=60, wait=False)
    return DataSet.objects.get(pk=data_set.pk)


DECIMALS = st.integers(-(10**7), 10**7).map(lambda number: number / 100)
AMOUNTS = st.lists(
    st.fixed_dictionaries({"_timestamp": MOMENTS, "v": DECIMALS}, optional={"g": st.integers(0, 2)})
    | st.fixed_dictionaries({"_timestamp": MOMENTS}, optional={"v": DECIMALS | st.integers(-5, 5) | st.none()}),
    min_size=1,
    max_size=25,
)
SPLITS = ["group_by=g", "period=month&duration=6", "group_by=g&period=month&duration=6"]
RANGES = [(), [("start_at", "2024-02-28T23:59:59.999999Z"), ("end_at", "2024-03-04T00:00:00Z"), ("inclusive", "true")]]
METHOD_NAMES = st.lists(st.sampled_from(sorted(METHODS)), unique=True, min_size=1)


@CONFIGURATION
@given(AMOUNTS, METHOD_NAMES, st.sampled_from(SPLITS))
def test_decimal_numbers(records, names, question):
    """DuckDB adds up such doubles and computes their quantiles, and rounds no sum."""
    with transaction.atomic():
        data_set = built(stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)]))
        collects = "".join(f"&collect=v:{name}" for name in names)
        query = parameters.parse(question + collects, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

        got = answer(data_set, query)

        building.drop(data_set)
        assert_equal(got, answer(DataSet.objects.get(pk=data_set.pk), query))
        transaction.set_rollback(True)


@pytest.mark.parametrize("question", ["", "group_by=g", "group_by=g&sort_by=v:stddev:descending"])
def test_values_beyond_doubles_are_null(question):
    values = {"a": [1e300, -1e300, 1.5], "b": [-1.7e308, 1.7e308], "c": [1.5, 2.5]}
    records = [{"_timestamp": "2024-01-01T00:00:00Z", "g": g, "v": v} for g, each in values.items() for v in each]
    data_set = built(stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)]))
    asked = f"{question}&collect=v:stddev&collect=v:median&collect=v:p99"
    query = parameters.parse(asked, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

    got = answer(data_set, query)

    building.drop(data_set)
    assert_equal(got, answer(DataSet.objects.get(pk=data_set.pk), query))
    assert "Infinity" not in got


GROUPS = st.sampled_from([1, 1.0, "1", True, None, 2**63 - 1, 2**64, [], -0.0])
KNOWN = ["a", "b", "1", True, False, None, [], {}]
OF_ONE_COLUMN = [[*KNOWN, 1, 2, 2**63 - 1, -(2**63)], [*KNOWN, 1.0, 0.5, 1e300], [None]]
SEVERAL = st.sampled_from(OF_ONE_COLUMN).flatmap(
    lambda pool: st.lists(
        st.fixed_dictionaries(
            {"_timestamp": MOMENTS}, optional={"v": st.sampled_from(pool), "g": GROUPS, "h": st.integers(0, 90)}
        ),
        min_size=1,
        max_size=80,
    )
)
GROUPED = [*SPLITS, "group_by=h", "group_by=h&period=day&duration=70", "group_by=g&group_by=h", "filter_by=g:1"]
LIMITS = ["", "&limit=2&sort_by=v:distinct:descending", "&limit=1&sort_by=_count:ascending"]


@CONFIGURATION
@example(
    [{"_timestamp": "2024-03-04T00:00:00Z", "h": 1}, {"_timestamp": "2024-03-04T00:00:00Z", "v": None}],
    "group_by=h",
    "",
    "",
)
@given(SEVERAL, st.sampled_from(GROUPED), st.sampled_from(LIMITS), st.sampled_from(["", "&collect=v:median"]))
def test_different_values(records, question, limit, more):
    with transaction.atomic():
        data_set = built(stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)]))
        asked = f"{question}&collect=v:distinct{more}{limit if 'group_by' in question else ''}"
        query = parameters.parse(asked, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

        got = answer(data_set, query)

        building.drop(data_set)
        assert_equal(got, answer(DataSet.objects.get(pk=data_set.pk), query))
        transaction.set_rollback(True)


NAMED = st.integers(-3, 3) | st.sampled_from(["a", "B", "é", "\U0001f600", "1", ""])
RANKED = st.lists(
    st.fixed_dictionaries(
        {"_timestamp": MOMENTS},
        optional={
            "g": NAMED,
            "h": st.sampled_from(["x", "y"]),
            "v": st.integers(-2, 2) | st.sampled_from([2**63 - 1, 2**63 - 2, -(2**63), "a", None, True]),
            "w": st.integers(-2, 2) | DECIMALS,
        },
    ),
    min_size=1,
    max_size=40,
)
BY_NAMES = [
    "group_by=g",
    "group_by=g&group_by=h",
    "group_by=h&group_by=_hour_of_day",
    "group_by=g&period=month&duration=6",
]
COLLECTED = ["", "&collect=v:sum", "&collect=w:sum&collect=v:sum&collect=v:max", "&collect=v:sum&collect=w:distinct"]
HAVING = ["", "&having=_count > 1"]


@CONFIGURATION
@given(st.data(), RANKED, st.sampled_from(BY_NAMES), st.sampled_from(COLLECTED), st.sampled_from(HAVING))
def test_first_groups(data, records, question, collects, having):
    """DuckDB leaves out the groups that the limit leaves out, where it orders groups as Python does."""
    keys = ["_count", "g", *(part.partition("&")[0] for part in collects.split("collect=")[1:])]
    sort = data.draw(st.sampled_from(["", *(f"&sort_by={key}:{way}" for key in keys for way in DIRECTIONS)]))
    if "group_by=g" not in question and sort.startswith("&sort_by=g"):
        sort = ""
    asked = f"{question}{collects}{having}{sort}&limit={data.draw(st.integers(1, 4))}"
    with transaction.atomic():
        data_set = built(stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)]))
        query = parameters.parse(asked, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

        got = answer(data_set, query)

        building.drop(data_set)
        assert_equal(got, answer(DataSet.objects.get(pk=data_set.pk), query))
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("sort_by=_count:descending&limit=2", ["a", "b"]),  # c has as many records as b
        ("sort_by=_count:ascending&limit=2", ["d", "e"]),
        ("limit=3", ["a", "b", "c"]),
        ("collect=v:sum&sort_by=v:sum:descending&limit=3", ["b", "d", "e"]),  # the sum of b has over 64 bits
        ("collect=v:sum&sort_by=v:sum:ascending&limit=2", ["c", "a"]),  # no number, so last in both directions
    ],
)
def test_groups_that_are_equal_at_the_limit(asked, names):
    values = {"a": [1, 2, 3], "b": [2**63 - 1, 2**63 - 1], "c": [0, 0], "d": [2**62 + 1], "e": [2**62], "f": ["x"] * 2}
    records = [{"_timestamp": "2024-01-01T00:00:00Z", "g": g, "v": v} for g, each in values.items() for v in each]
    records += [{"_timestamp": "2024-01-01T00:00:00Z", "v": 2**62}] * 9  # in no group
    data_set = built(stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)]))
    query = parameters.parse(f"group_by=g&{asked}", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

    rows = engines.grouped(data_set, query, now=NOW, max_rows=6)

    assert [row["g"] for row in rows] == names
    with pytest.raises(TooManyRows):
        engines.grouped(data_set, query, now=NOW, max_rows=5)


def changed(data_set, change: str, number: int, later) -> DataSet:
    if change == "write":  # some replace stored records, at other moments
        put_in(data_set, [{**record, "_id": f"r{number + 2 * index}"} for index, record in enumerate(later)])
    elif change == "build":
        building.build(data_set, seconds=60, wait=False)
    elif change == "delete":
        with suppress(NoSuchRecord):
            one_record.delete(data_set, f"r{number}", RecordEdit(by=COMMAND))
    elif change == "retain":
        assert sum(store.remove_beyond(data_set.pk, 5)) >= 0
    elif change == "empty":
        store.empty(data_set, by=COMMAND)
    elif store.undoable(data_set.pk).exists():
        store.undo(data_set, by=COMMAND)
    return DataSet.objects.get(pk=data_set.pk)


def answer(data_set, query) -> str:
    return json.dumps(engines.grouped(data_set, query, now=NOW, max_rows=100_000))


def assert_equal(got: str, wanted: str) -> None:
    """Compare answers byte for byte, except standard deviations, which may differ by a factor of 1 ± 10⁻¹².

    On a busy machine, DuckDB's threads add up the same numbers in another order.
    Source: docs/reference/data-sets.md §11.
    """
    assert _DEVIATION.sub(r"\1", got) == _DEVIATION.sub(r"\1", wanted)
    deviations = [[float(value) for _, value in _DEVIATION.findall(text)] for text in (got, wanted)]
    assert deviations[0] == pytest.approx(deviations[1], rel=1e-12, abs=0)


_DEVIATION = re.compile(r'(:stddev": )([-+.e0-9]+)')
CHANGES = ["write", "build", "delete", "retain", "empty", "undo"]
STEPS = st.lists(st.tuples(st.sampled_from(CHANGES), questions()), min_size=3, max_size=6)


@CONFIGURATION
@given(RECORDS, RECORDS, questions(), STEPS)
def test_groups_and_periods(records, later, question, steps):
    with transaction.atomic():
        data_set = built(stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)]))
        compare(data_set, question)
        for number, (change, asked) in enumerate(steps):
            data_set = changed(data_set, change, number, later)
            compare(data_set, asked)
        transaction.set_rollback(True)


def compare(data_set, question: str) -> None:
    query = parameters.parse(question, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    got = answer(data_set, query)
    with override_settings(COLUMNS=False):
        assert_equal(got, answer(data_set, query))


@CONFIGURATION
@given(RECORDS, filters(), st.sampled_from([*NAMES, "_id", "_timestamp", "nothing"]), st.sampled_from(DIRECTIONS))
def test_pages(records, pairs, key, direction):
    with transaction.atomic():
        data_set = built(stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)]))
        put_in(data_set, [{**records[0], "_id": "r0", "v": 5}])  # its segment is open now
        asked = [*pairs, ("sort_by", f"{escaping.escape(key)}:{direction}"), ("limit", "3")]

        got = pages(data_set, asked)

        building.drop(data_set)
        assert got == pages(data_set, asked)
        transaction.set_rollback(True)


@CONFIGURATION
@given(RECORDS, RECORDS, filters(), st.sampled_from(RANGES), st.sampled_from([(), ("v", "_id", "_day_start_at")]))
def test_csv(records, later, pairs, span, select):
    with transaction.atomic():
        data_set = built(stored_set([{**record, "_id": f"r{number}"} for number, record in enumerate(records)]))
        put_in(data_set, [{**record, "_id": f"'r,{number}\""} for number, record in enumerate(later)])
        data_set = built(data_set)
        put_in(data_set, [{**records[0], "_id": "r0", "late": 5, "_start_at": "2024-01-01T00:00:00.5Z"}])
        asked = [*pairs, *span, ("format", "csv"), *(("select", name) for name in select)]

        got = csv(data_set, asked)

        building.drop(data_set)
        assert got == csv(data_set, asked)
        transaction.set_rollback(True)


def csv(data_set, asked) -> str:
    query = parameters.parse(urlencode(asked), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    data_set = DataSet.objects.get(pk=data_set.pk)
    return "".join(csv_lines.table(data_set, query, query.select or header.of(data_set, query)))


def pages(data_set, asked) -> list[list[str]]:
    """Return the records of each page as JSON."""
    found, cursor = [], None
    while True:
        more = [("cursor", cursor)] if cursor else []
        query = parameters.parse(urlencode(asked + more), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
        page = engines.page(DataSet.objects.get(pk=data_set.pk), query)
        found.append([written.record(row) for row in page.rows])
        cursor = page.next_cursor
        if cursor is None:
            return found
