"""Two or three parameters of a question together give what plain Python computes, on each engine."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.queries import values
from tests.datasets.making import call, make_token
from tests.datasets.questions.drawn_conditions import CONDITIONS, holds
from tests.datasets.questions.plain_answers import Asked, answer, at, stamp
from tests.datasets.questions.test_figures import answers, numbered
from tests.datasets.test_answers import CONFIGURATION, alike, stored_set

pytestmark = pytest.mark.django_db

CONFIGURATION = settings(CONFIGURATION, max_examples=int(os.environ.get("EXAMPLES", "40")))  # two engines for each case
FIRST = datetime(2024, 2, 27, tzinfo=UTC)  # the leap day is in the range; the clocks of New York change on 10 March
PARAMETERS = ("where", "filter_by", "group_by", "path", "part", "period", "time_zone", "compare", "moving", "having",
              "sort_by", "limit", "flatten")  # fmt: skip
METHODS = ["sum", "count", "distinct", "set", "mean", "min", "max", "median", "p10", "stddev", "first", "last"]
ZONES = ["Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
MOMENTS = st.tuples(st.integers(-14, 14), st.integers(0, 24 * 3600 - 1), st.sampled_from([0, 0, 0, 365, 366])).map(
    lambda drawn: stamp(FIRST + timedelta(days=drawn[0] - drawn[2], seconds=drawn[1]))
)
NUMBERS = st.integers(-9, 9) | st.sampled_from([None, 1.0, 0.5, "a", "1", True, [1]])
RECORDS = st.lists(
    st.fixed_dictionaries(
        {"_timestamp": MOMENTS},
        optional={
            "g": st.sampled_from([1, 1.0, "1", "a", None, False, {"b": 1}]),
            "geo": st.fixed_dictionaries({}, optional={"n": NUMBERS}) | st.just("a"),
            "geo.n": NUMBERS,
            "v": NUMBERS,
        },
    ),
    min_size=1,
    max_size=25,
).map(numbered)
SPANS = st.tuples(st.integers(0, 10), st.integers(1, 14), st.sampled_from([0, 5, 13])).map(
    lambda drawn: tuple(FIRST + timedelta(days=days, hours=drawn[2]) for days in (drawn[0], drawn[0] + drawn[1]))
)
MONTHS = st.sampled_from([((2024, 2), (2024, 3)), ((2024, 1), (2024, 3)), ((2023, 2), (2024, 3))]).map(
    lambda ends: tuple(datetime(year, month, 1, tzinfo=UTC) for year, month in ends)
)


@st.composite
def questions(draw) -> Asked:
    """Draw a question with at least two parameters, and those that they need."""
    chosen = draw(st.sets(st.sampled_from(PARAMETERS), min_size=2, max_size=3))
    group_by = [name for kind, name in (("group_by", "g"), ("path", "geo.n")) if kind in chosen]
    group_by += [draw(st.sampled_from(["_hour_of_day", "_day_of_week"]))] if "part" in chosen else []
    if chosen & {"having", "sort_by", "limit", "flatten"} and not group_by:
        group_by = [draw(st.sampled_from(["g", "geo.n"]))]
    names = [name for name in ("v", "geo.n") if name not in group_by]
    collect = draw(
        st.lists(st.tuples(st.sampled_from(names), st.sampled_from(METHODS)), min_size=1, max_size=3, unique=True)
    )
    asked = Asked(collect=collect, group_by=group_by)
    keys = ["_count", *(f"{name}:{method}" for name, method in collect)]
    if chosen & {"period", "moving", "flatten"}:
        asked = replace(asked, period=draw(st.sampled_from(["hour", "day", "week", "month"])))
    if asked.period or "compare" in chosen:
        asked = replace(asked, span=draw(SPANS | MONTHS))
    if "where" in chosen:
        asked = replace(asked, where=draw(CONDITIONS))
    if "filter_by" in chosen:
        asked = replace(asked, filter_by=(draw(st.sampled_from(["g", "v"])), draw(st.sampled_from(["1", "a", "null"]))))
    if "time_zone" in chosen:
        asked = replace(asked, time_zone=draw(st.sampled_from(ZONES)))
    if "compare" in chosen:
        asked = replace(asked, compare=draw(st.sampled_from(["previous_period", "previous_year"])))
    if "moving" in chosen:
        asked = replace(asked, moving=draw(st.integers(2, 4)))
    if "having" in chosen:
        key = draw(st.sampled_from(keys))
        asked = replace(asked, having=(key, draw(st.sampled_from(["=", "!=", "<", ">="])), draw(st.integers(-2, 4))))
    if "sort_by" in chosen:
        asked = replace(asked, sort_by=(draw(st.sampled_from([*group_by, *keys])), draw(st.booleans())))
    if "limit" in chosen:
        asked = replace(asked, limit=draw(st.integers(1, 3)))
    # Hours of a year before follow their labels, also through a change of the clocks: test_time_zones has them.
    if asked.period == "hour" and asked.compare == "previous_year":
        asked = replace(asked, period="day")
    return replace(asked, flatten="flatten" in chosen)


def sorted_keys(value):
    if isinstance(value, dict):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    return [sorted_keys(one) for one in value] if isinstance(value, list) else value


@CONFIGURATION
@given(RECORDS, questions())
def test_parameters_together_equal_plain_python(records, asked):
    wanted = sorted_keys(answer(records, asked))
    with transaction.atomic():
        for got in answers(records, asked.pairs()):
            assert alike(sorted_keys(got), wanted), (asked.pairs(), got, wanted)
        transaction.set_rollback(True)


FIELDS = ["g", "v", "geo", "absent", "_id", "_timestamp"]


@CONFIGURATION
@given(
    records=RECORDS,
    select=st.lists(st.sampled_from(FIELDS), unique=True, min_size=1, max_size=3),
    where=st.none() | CONDITIONS,
    sort_by=st.none() | st.tuples(st.sampled_from(["g", "v", "_id"]), st.booleans()),
    limit=st.integers(1, 6),
)
def test_parameters_of_raw_reads_together_equal_plain_python(records, select, where, sort_by, limit):
    asked = Asked(collect=[], where=where, sort_by=sort_by, limit=limit)
    chosen = [record for record in records if where is None or holds(where, record)]
    key, descends = sort_by or ("", False)
    # Records of equal values are in the same direction by time and `_id`; nested and absent values come last.
    ordered = sorted(chosen, key=lambda record: (values.order(record.get(key)), at(record), record["_id"]))
    ordered = ordered[::-1] if descends else ordered
    wanted = sorted(ordered, key=lambda record: values.is_last(record.get(key)))[:limit]
    with transaction.atomic():
        data_set = stored_set(records)
        pairs = [*(("select", name) for name in select), *asked.pairs()]

        found = call("GET", data_set, make_token(data_set), query=urlencode(pairs)).json()["data"]

        rows = [{name: record[name] for name in select if name in record} for record in wanted]
        assert alike(sorted_keys(found), sorted_keys(rows)), (pairs, found, rows)
        transaction.set_rollback(True)
