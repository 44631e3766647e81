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
from django.db.models import Count, Func, QuerySet, TextField, Value
from django.db.models.functions import Cast, Lower

from config.databases import replica
from config.databases.streaming import streaming
from datasets.models import Record
from datasets.queries.counted import OTHER, WHOLE, Counted, FoundValue, fields
from datasets.queries.local_time import Shift
from datasets.queries.methods import METHODS, Needs
from datasets.queries.query import Query
from datasets.queries.stored import PeriodStart, field_or_path, group_text, prepare, read_start

By = dict[str, Func]
Sql = tuple[str, tuple[Any, ...]]

_SMALL = 9  # digits; sums of such numbers stay within 64 bits
_AT_ONCE = 2_000
_FEW = 50_000  # rows fetched at once; PostgreSQL does not run a cursor in parallel

_NO_SUMS = "CAST(NULL AS text), {n}, CAST(NULL AS bigint), CAST(NULL AS bigint), CAST(NULL AS bigint)"
_NO_PLACE = ", CAST(NULL AS text), CAST(NULL AS text)"
_COLLECTED = """
SELECT {keys}, {number}, {value} AS value, CAST(SUM(n) AS bigint),
       CAST(NULL AS bigint), CAST(NULL AS bigint), CAST(NULL AS bigint){no_place}
FROM ({equal}) AS equal GROUP BY {keys}, {value}
"""
_SUMMED = """
SELECT {keys}, {number}, {shown} AS shown, COUNT(*), CAST(SUM(whole) AS bigint), MIN(whole), MAX(whole){no_place}
FROM (SELECT {keys}, value, CASE WHEN {is_small} THEN CAST(value AS {whole}) END AS whole{fence}
      FROM (SELECT {keys}, value{fence} FROM ({each}) AS found {end}) AS each_one {end}) AS judged
GROUP BY {keys}, shown
"""
# The value of the first or last record of each group that has one. The number of records shows which method it is.
_PLACED = """
SELECT {keys}, {number}, value, {mark}, CAST(NULL AS bigint), CAST(NULL AS bigint), CAST(NULL AS bigint), at, record_id
FROM (SELECT {keys}, value, at, record_id,
             ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY "timestamp" {way}, record_id {way}) AS place
      FROM ({each}) AS each_one WHERE value <> 'null' AND {is_scalar}) AS placed
WHERE place = 1
"""
_PLACES = {"first": (-1, "ASC"), "last": (-2, "DESC")}
_METHODS = {mark: method for method, (mark, _) in _PLACES.items()}
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


def count(
    records: QuerySet[Record], query: Query, *, period_shift: Shift = (), part_shift: Shift = ()
) -> Iterator[Counted | FoundValue]:
    """Yield the counts of the records, in no order.

    period_shift, part_shift: what to add to `_timestamp` before its period, or its hour or day of the week, is found
    """
    prepare()
    by: By = {f"key_{number}": group_text(name, part_shift) for number, name in enumerate(query.group_by)}
    if query.period is not None:
        by["period"] = PeriodStart(query.period, period_shift)
    by = by or {"everything": Lower(Value(""))}  # SQL groups all records by an expression, not by nothing
    collected = fields(query.collect)
    placed = [
        _placed(records, by, number, name, method)
        for number, (name, methods) in enumerate(collected.items())
        for method in sorted(methods & _PLACES.keys())
    ]
    no_place = _NO_PLACE if placed else ""
    parts = [_collected(records, by, *field, no_place) for field in enumerate(collected.items())]
    parts = [*parts, *placed] or [_plain(records, by)]
    statement = " UNION ALL ".join(sql for sql, _ in parts)
    parameters = [each for _, given in parts for each in given]
    for row in _rows(statement, parameters):
        keys = tuple(row[: len(query.group_by)])
        period = read_start(row[len(keys)]) if query.period is not None else None
        field, value, number, *rest = row[len(by) :]
        if number in _METHODS:
            yield FoundValue(keys, period, field, _METHODS[number], value, read_start(rest[3]), rest[4])
        else:
            yield Counted(keys, period, field, value, number, *rest[:3])


def _equal(records: QuerySet[Record], by: By) -> Sql:
    counted = records.values(**by).annotate(n=Count("*")).values_list(*by, "n")
    return counted.query.sql_with_params()


def _plain(records: QuerySet[Record], by: By) -> Sql:
    sql, parameters = _equal(records, by)
    columns = _NO_SUMS.format(n="n")
    return f"SELECT {', '.join(by)}, 0, {columns} FROM ({sql}) AS equal", parameters  # noqa: S608  fixed names


def _collected(records: QuerySet[Record], by: By, number: int, field: tuple[str, set[str]], no_place: str) -> Sql:
    name, methods = field
    needs = {METHODS[method].needs for method in methods}
    is_summed = max(needs) == Needs.TOTALS
    value = _value(needs, "whole IS NOT NULL" if is_summed else "")
    keys = ", ".join(by)
    if is_summed:  # equal values are not grouped first, because each may be different
        each = records.annotate(**by, value=field_or_path(name)).values_list(*by, "value")
        sql, parameters = each.query.sql_with_params()
        own = _OF[replica.connection().vendor]
        return _SUMMED.format(keys=keys, number=number, shown=value, each=sql, no_place=no_place, **own), parameters
    sql, parameters = _equal(records, {**by, "value": field_or_path(name)})
    return _COLLECTED.format(keys=keys, number=number, value=value, equal=sql, no_place=no_place), parameters


def _placed(records: QuerySet[Record], by: By, number: int, name: str, method: str) -> Sql:
    mark, way = _PLACES[method]
    at = Cast("timestamp", TextField())
    each = records.annotate(**by, value=field_or_path(name), at=at).values_list(
        *by, "value", "timestamp", "record_id", "at"
    )
    sql, parameters = each.query.sql_with_params()
    keys = ", ".join(by)
    return _PLACED.format(keys=keys, number=number, mark=mark, way=way, is_scalar=_IS_SCALAR, each=sql), parameters


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
