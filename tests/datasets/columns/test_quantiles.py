"""DuckDB finds the neighbours of quantiles in both ways as the row store does, for groups of any sizes."""

import json

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datasets.columns.duckdb import memory_mib
from datasets.queries.collect import FieldAggregate
from datasets.queries.column_files import quantiles
from datasets.queries.column_files.conditions import Conditions
from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.known_groups import KnownGroups
from datasets.queries.column_files.statement import GroupedStatement
from datasets.queries.counted import Counted
from datasets.queries.methods import METHODS, QUANTILES

WHOLE = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)
DOUBLES = st.floats(allow_nan=False).filter(lambda number: number != 0)
GROUPS = st.lists(st.integers(1, 6), min_size=1, max_size=200)  # a group for each number
FEW = st.lists(st.sampled_from(sorted(QUANTILES)), min_size=1, max_size=5, unique=True)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from([("BIGINT", WHOLE), ("DOUBLE", DOUBLES)]), GROUPS, FEW)
@example(None, ("BIGINT", st.just(2**63 - 1)), [1], ["p99"])
def test_both_ways(data, kind, groups, methods):
    type_, numbers = kind
    each = [2**63 - 1 if data is None else data.draw(numbers) for _ in groups]
    wanted = expected(groups, each, methods)

    assert computed(quantiles.found, type_, groups, each, methods) == wanted
    assert computed(quantiles.by_parts, type_, groups, each, methods) == wanted


def test_groups_of_many_sizes():
    groups = [size for size in range(1, 80) for _ in range(size)]
    each = [number * 7919 % 1009 for number, _ in enumerate(groups)]
    methods = sorted(QUANTILES)  # so many places that they are found by parts
    wanted = expected(groups, each, methods)

    assert computed(quantiles.found, "BIGINT", groups, each, methods) == wanted
    assert computed(quantiles.found, "BIGINT", groups, each, ["p95"]) == expected(groups, each, ["p95"])


def test_no_numbers():
    assert computed(quantiles.found, "BIGINT", [1], [None], ["median"]) == {}


@pytest.mark.parametrize(("limit", "least", "most"), [("900KB", 0.8, 0.9), ("352MB", 335, 336), ("3GB", 2700, 2900)])
def test_memory_of_a_connection(limit, least, most):
    with duckdb.connect(config={"memory_limit": limit}) as connection:
        assert least <= memory_mib(connection) <= most


def computed(function, type_, groups, each, methods):
    null = ["CAST(NULL AS DOUBLE)", "CAST(NULL AS VARCHAR)", "CAST(NULL AS VARCHAR)"]
    field = CollectedField(number=0, columns=("x", *null), methods=frozenset(methods), adds=True, places=None, of="x")
    statement = GroupedStatement("SELECT * FROM records", Conditions(), ["g", *null], by_period=False)
    with duckdb.connect(config={"threads": 2, "memory_limit": "352MB"}) as connection:
        connection.execute(f"CREATE TABLE records (g BIGINT, x {type_})")
        connection.executemany("INSERT INTO records VALUES (?, ?)", list(zip(groups, each, strict=True)))
        known = KnownGroups.read(connection, statement, field)
        rows = list(
            function(connection, statement, field, methods, known if function is quantiles.found else known.ranges[0])
        )
    return {(row.keys[0], row.method): json.dumps(row.value) for row in rows}


def expected(groups, each, methods):
    aggregates = {}
    for group, number in zip(groups, each, strict=True):
        text = json.dumps(number).replace("Infinity", "1e999")
        aggregates.setdefault(str(group), FieldAggregate({*methods})).add(Counted((), None, 0, text, 1))
    return {
        (group, method): json.dumps(METHODS[method].of(aggregate))
        for group, aggregate in aggregates.items()
        for method in methods
    }
