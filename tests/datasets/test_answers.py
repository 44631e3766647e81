"""Every kind of answer of section 11 equals a computation in plain Python over random records."""

import itertools
import json
import math
import os
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from datasets.queries import engines, parameters, raw, values, written
from datasets.queries.methods import METHODS, Needs
from datasets.queries.query import PERIODS
from tests.datasets import plain
from tests.datasets.making import ALL, BOUNDS, make_data_set, put_in

pytestmark = pytest.mark.django_db

NOW = datetime(2024, 3, 5, 12, tzinfo=UTC)
NAMES = ["g", "v", 'q"u\\o', "a.b[0]", "é$ ' %s"]
EDGES = [
    *(0, -0.0, 0.0, 1, 1.0, "1", "", "true", True, False, None, "null", [], {}, ["a"], {"a": 1}),
    *(2**53, 2**53 + 1, float(2**53), 2**63 - 1, 2**63, 2**63 + 1, 2.0**63, -(2**63), -(2**63) - 1, 2**64, 10**20),
    *(10**400, -(10**400), 10**4299, 1e308, -1e308, 5e-324, 1e22, 10**22, 0.1, 0.2, -0.3, 999_999_999, 10**9, 10**10),
    *(
        -99_999_999,
        -999_999_999,
        "a",
        "B",
        "é",
        "\U0001f600",
        "%",
        "_",
        'q"',
        "\\",
        "\n",
        "[",
        "{",
        "'; --",
        "a\u2028b",
    ),
]
VALUES = (
    st.sampled_from(EDGES) | st.integers(-20, 20) | st.floats(allow_nan=False, allow_infinity=False) | st.integers()
)
MOMENTS = st.sampled_from(
    [
        *("2024-02-28T23:59:59.999999Z", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z", "2024-03-04T00:00:00Z"),
        *("2024-03-03T23:30:00.5Z", "2024-01-01T00:00:00Z", "2023-12-31T23:00:00Z", "2024-03-05T11:59:00Z"),
    ]
)
RECORDS = st.lists(
    st.fixed_dictionaries({"_timestamp": MOMENTS}, optional=dict.fromkeys(NAMES, VALUES)), min_size=1, max_size=25
)
SPANS = st.sampled_from(
    [
        {"start_at": "2024-02-29T00:00:00Z", "end_at": "2024-03-04T00:00:00Z"},
        {"start_at": "2024-02-28T23:00:00Z", "end_at": "2024-03-04T00:00:00Z", "inclusive": "true"},
        {"duration": "70"},
        {"duration": "5", "start_at": "2024-02-28T23:59:59Z"},
        {"duration": "3", "end_at": "2024-03-04T00:00:00Z"},
    ]
)


# `first` and `last` depend on `_id`; tests.datasets.questions has them.
_PERCENTILES = ["p1", "p10", "p95", "p99"]
SUMMARIES = [name for name, method in METHODS.items() if method.needs != Needs.PLACE and not name[1:].isdigit()]
SUMMARIES += _PERCENTILES


@st.composite
def questions(draw) -> str:
    """Draw a query string with groups, periods, or both."""
    group_by = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=2))
    by_period = draw(st.booleans()) or not group_by
    pairs: list[tuple[str, str]] = [("group_by", name) for name in group_by]
    if by_period:
        pairs += [("period", draw(st.sampled_from(PERIODS))), *draw(SPANS).items()]
    collected = [name for name in NAMES if name not in group_by]
    collects = draw(
        st.lists(st.tuples(st.sampled_from(collected), st.sampled_from(SUMMARIES)), unique=True, max_size=4)
    )
    pairs += [("collect", f"{name}:{method}") for name, method in collects]
    pairs += draw(filters())
    if group_by:
        keys = [*group_by, "_count", *(["_group_count"] if by_period else [])]
        keys += [f"{name}:{method}" for name, method in collects]
        if draw(st.booleans()):
            pairs.append(("sort_by", f"{draw(st.sampled_from(keys))}:{draw(st.sampled_from(DIRECTIONS))}"))
        if draw(st.booleans()):
            pairs.append(("limit", "3"))
        pairs.append(("flatten", draw(st.sampled_from(["true", "false"]))))
    return urlencode(pairs)


DIRECTIONS = ["ascending", "descending"]


@st.composite
def filters(draw) -> list[tuple[str, str]]:
    kind = draw(st.sampled_from(["", "filter_by", "filter_by_prefix"]))
    if not kind:
        return []
    value = draw(VALUES | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3))
    text = value if isinstance(value, str) else json.dumps(value)
    return [(kind, f"{draw(st.sampled_from(NAMES))}:{text}")]


_number = itertools.count()


def stored_set(records):
    data_set = make_data_set(type=f"t{next(_number)}")
    put_in(data_set, records)
    return data_set


def alike(got, wanted) -> bool:
    """Return whether values are equal as JSON. Doubles may differ in the last digits, as the order of addition does."""
    if isinstance(wanted, dict):
        return list(got) == list(wanted) and all(alike(got[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(alike, got, wanted))
    if isinstance(wanted, float) and not isinstance(got, bool):
        return math.isclose(got, wanted, rel_tol=1e-12)
    return values.order(got) == values.order(wanted)


CONFIGURATION = settings(
    max_examples=int(os.environ.get("EXAMPLES", "150")),  # thousands before a release: docs/testing.md
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@CONFIGURATION
@given(RECORDS, questions())
@example(
    [{"_timestamp": "2024-01-01T00:00:00Z", "g": 2**63 - 1, "v": 2**64}], "group_by=g&filter_by=v:18446744073709551615"
)
def test_groups_and_periods_equal_plain_python(records, question):
    with transaction.atomic():
        data_set = stored_set(records)
        query = parameters.parse(question, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

        got = engines.grouped(data_set, query, now=NOW, max_rows=100_000)

        assert alike(got, plain.groups(records, query, now=NOW, max_rows=100_000)), got
        transaction.set_rollback(True)


@CONFIGURATION
@given(RECORDS, filters())
def test_filters_equal_plain_python(records, pairs):
    numbered = [{**record, "_id": f"r{number:02}"} for number, record in enumerate(records)]
    with transaction.atomic():
        data_set = stored_set(numbered)
        query = parameters.parse(urlencode(pairs), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

        got = {json.loads(written.record(row))["_id"] for row in raw.Page(data_set.pk, query).rows}

        assert got == {record["_id"] for record in plain.selected(numbered, query)}
        transaction.set_rollback(True)
