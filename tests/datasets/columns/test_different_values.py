"""DuckDB counts different values in both ways alike: by group and value, and by value with a bit for each group."""

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.queries.column_files import computing
from datasets.queries.column_files.conditions import Conditions
from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.known_groups import KnownGroups
from datasets.queries.column_files.statement import GroupedStatement, text_of

WHOLE = [(1, None, None), (2**63 - 1, None, None), (-(2**63), None, None)]
TEXTS = [(None, text, None) for text in ("1", "true", "")]
OTHERS = [(None, None, other) for other in ("true", "false", "null", "[]", None)]
VALUES = st.sampled_from([*WHOLE, *TEXTS, *OTHERS])
KEYS = st.sampled_from([(1, None, None), (2, None, None), (None, "1", None), (None, None, "null"), (None, None, None)])
NEVER = 10**9


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=60))
def test_both_ways(records):
    wanted = expected(records)

    assert counted(records, bits_from=0) == wanted
    assert counted(records, bits_from=NEVER) == wanted


@pytest.mark.parametrize("groups", [1, 8, 9, 16, 17, 32, 33, 64, 65])
def test_as_many_groups(groups):
    records = [((n % groups, None, None), (None, f"v{n % 7}", None)) for n in range(3 * groups)]

    assert counted(records, bits_from=0) == expected(records)


def test_no_groups():
    assert counted([], bits_from=0) == {}


def counted(records, *, bits_from):
    double = "CAST(NULL AS DOUBLE)"
    field = CollectedField(
        number=0, columns=("x0", double, "x1", "x2"), methods=frozenset(), adds=True, places=None, of="x0"
    )
    statement = GroupedStatement("SELECT * FROM records", Conditions(), ["k0", double, "k1", "k2"], by_period=False)
    with duckdb.connect(config={"threads": 2}) as connection:
        connection.execute(
            "CREATE TABLE records (k0 BIGINT, k1 VARCHAR, k2 VARCHAR, x0 BIGINT, x1 VARCHAR, x2 VARCHAR)"
        )
        for key, of in records:
            connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", [*key, *of])
        known = KnownGroups.read(connection, statement, field)
        found = computing.different(connection, statement, field, known, bits_from=bits_from)
        return {row.keys: row.values[0] for row in found}


def expected(records):
    found = {}
    for (whole, text, other), value in records:
        key = (text_of(whole, None, text, other),)
        is_value = value[:2] != (None, None) or value[2] in {"true", "false"}
        found.setdefault(key, set()).update([value] if is_value else [])
    return {key: len(values) for key, values in found.items()}
