"""Count records in SQL by groups, periods and the values of collected fields.
Source: docs/reference/data-sets.md §11.

One statement counts everything, so that all numbers describe one moment. For sums, means, minima and maxima, the
database adds up small whole numbers. It returns every other value once, with its count. `collect` adds doubles and long
numbers, because SQL would not add them exactly.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet

from config.databases import replica
from config.databases.streaming import streaming
from datasets.models import Record
from datasets.queries.counted import OTHER, WHOLE, Counted, fields
from datasets.queries.methods import METHODS, Needs
from datasets.queries.query import Query
from datasets.queries.stored import FieldText, PeriodStart, prepare, read_start

_SMALL = 9  # digits; sums of such numbers stay within 64 bits
_AT_ONCE = 2_000
_FEW = 50_000  # rows fetched at once; PostgreSQL does not run a cursor in parallel

_NO_SUMS = "CAST(NULL AS text), {n}, CAST(NULL AS bigint), CAST(NULL AS bigint), CAST(NULL AS bigint)"
_COLLECTED = """
SELECT {keys}, {number}, {value} AS value, CAST(SUM(n) AS bigint),
       CAST(NULL AS bigint), CAST(NULL AS bigint), CAST(NULL AS bigint)
FROM ({equal}) AS equal GROUP BY {keys}, {value}
"""
_SUMMED = """
SELECT {keys}, {number}, {shown} AS shown, COUNT(*), CAST(SUM(whole) AS bigint), MIN(whole), MAX(whole)
FROM (SELECT {keys}, value, CASE WHEN {is_small} THEN CAST(value AS {whole}) END AS whole{fence}
      FROM (SELECT {keys}, value{fence} FROM ({each}) AS found {end}) AS each_one {end}) AS judged
GROUP BY {keys}, shown
"""
# Of all texts of JSON values, only numbers sort between '-' and ':'. Only doubles contain a '.' or an 'e'.
_OF = {
    "postgresql": {
        "is_small": f"OCTET_LENGTH(value) <= {_SMALL} AND value < ':' AND value >= '-'"
        " AND STRPOS(value, '.') = 0 AND STRPOS(value, 'e') = 0",
        "whole": "integer",
        # Without a fence, PostgreSQL parses the JSON for each use of `value`. A volatile function is a fence that still
        # allows a parallel plan; a LIMIT does not.
        "fence": ", CLOCK_TIMESTAMP() AS fence",
        "end": "",
    },
    "sqlite": {
        "is_small": f"LENGTH(value) <= {_SMALL} AND value NOT GLOB '*[^-0-9]*'",
        "whole": "bigint",
        "fence": "",
        "end": "LIMIT -1",
    },
}
# With less memory, PostgreSQL sorts all records before it groups them.
_ROOM = "SELECT SET_CONFIG('work_mem', '32MB', true), SET_CONFIG('jit', 'off', true)"
_IS_NUMBER = "(value >= '-' AND value < ':')"
_IS_SCALAR = "SUBSTR(value, 1, 1) NOT IN ('[', '{')"


def count(records: QuerySet[Record], query: Query) -> Iterator[Counted]:
    """Yield the counts of the records, in no order."""
    prepare()
    keys = [f"key_{number}" for number in range(len(query.group_by))]
    by = {key: FieldText(name) for key, name in zip(keys, query.group_by, strict=True)}
    by_period = {"period": PeriodStart(query.period)} if query.period is not None else {}
    collected = fields(query.collect)
    parts = [_collected(records, by | by_period, *field) for field in enumerate(collected.items())]
    if not parts:
        parts = [_plain(records, by | by_period)]
    statement = " UNION ALL ".join(sql for sql, _ in parts)
    parameters = [each for _, given in parts for each in given]
    width = len(keys)
    for row in _rows(statement, parameters):
        period = read_start(row[width]) if by_period else None
        yield Counted(tuple(row[:width]), period, *row[width + bool(by_period) :])


def _equal(records: QuerySet[Record], by: dict[str, FieldText | PeriodStart]) -> tuple[str, tuple[Any, ...]]:
    counted = records.values(**by).annotate(n=Count("*")).values_list(*by, "n")
    return counted.query.sql_with_params()


def _plain(records: QuerySet[Record], by: dict[str, FieldText | PeriodStart]) -> tuple[str, tuple[Any, ...]]:
    sql, parameters = _equal(records, by)
    columns = _NO_SUMS.format(n="n")
    return f"SELECT {', '.join(by)}, 0, {columns} FROM ({sql}) AS equal", parameters  # noqa: S608  fixed names


def _collected(
    records: QuerySet[Record], by: dict[str, FieldText | PeriodStart], number: int, field: tuple[str, set[str]]
) -> tuple[str, tuple[Any, ...]]:
    name, methods = field
    needs = {METHODS[method].needs for method in methods}
    is_summed = max(needs) == Needs.TOTALS
    value = _value(needs, "whole IS NOT NULL" if is_summed else "")
    keys = ", ".join(by)
    if is_summed:  # equal values are not grouped first, because each may be different
        each = records.annotate(**by, value=FieldText(name)).values_list(*by, "value")
        sql, parameters = each.query.sql_with_params()
        own = _OF[replica.connection().vendor]
        return _SUMMED.format(keys=keys, number=number, shown=value, each=sql, **own), parameters
    sql, parameters = _equal(records, {**by, "value": FieldText(name)})
    return _COLLECTED.format(keys=keys, number=number, value=value, equal=sql), parameters


def _value(needs: set[Needs], is_small: str) -> str:
    """Return the SQL that maps a value to itself, WHOLE, OTHER or NULL, as the methods need."""
    cases = [f"WHEN {is_small} THEN '{WHOLE}'"] if is_small else []
    cases.append("WHEN value = 'null' THEN NULL")
    if needs & {Needs.TOTALS, Needs.NUMBERS}:
        cases.append(f"WHEN {_IS_NUMBER} THEN value")
    if Needs.VALUES in needs:
        cases.append(f"WHEN {_IS_SCALAR} THEN value")
    return f"CASE {' '.join(cases)} WHEN value IS NOT NULL THEN '{OTHER}' END"


@contextmanager
def _room() -> Iterator[None]:
    """Raise PostgreSQL's work_mem for the groups. On SQLite, use no transaction, because it would block writers."""
    connection = replica.connection()
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            cursor.execute(_ROOM)
        yield


def _rows(statement: str, parameters: list[Any]) -> Iterator[tuple[Any, ...]]:
    connection = replica.connection()
    with _room(), connection.cursor() as cursor:
        # MATERIALIZED: otherwise PostgreSQL plans for the first rows only and sorts a million records.
        few_at_most = f"WITH counted AS MATERIALIZED ({statement}) SELECT * FROM counted LIMIT {_FEW + 1}"  # noqa: S608
        cursor.execute(few_at_most, parameters)
        few = cursor.fetchall()
    if len(few) <= _FEW:
        yield from few
        return
    del few
    with streaming(connection.alias), connection.chunked_cursor() as cursor:
        cursor.execute(statement, parameters)
        while block := cursor.fetchmany(_AT_ONCE):
            yield from block
