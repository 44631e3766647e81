"""Count records in SQL, by groups and periods and by what they hold in collected fields. Source: Data Set contract §11.

In one statement, so all figures are of one moment. Where a sum, mean, least or greatest is wanted, small whole numbers
are added up in the database; every other value that matters comes out once with its count. What SQL would not do
exactly, doubles and long numbers, is thus left to `collect`, and what is frequent never leaves the database.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Count, QuerySet

from datasets.models import Record
from datasets.queries.query import Collect, Query
from datasets.queries.stored import FieldText, PeriodStart, prepare, read_start

WHOLE = ""  # in place of a value: small whole numbers, added up
OTHER = '"'  # in place of a value: something that counts as there, and no more

_SMALL = 9  # characters of a whole number of which no number of records has a sum beyond 64 bits
_AT_ONCE = 2_000
_FEW = 50_000  # rows to fetch at a stroke: only beyond them a cursor, which PostgreSQL does not read in parallel

_FIGURES = "CAST(NULL AS text), {n}, CAST(NULL AS bigint), CAST(NULL AS bigint), CAST(NULL AS bigint)"
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
# Texts of numbers alone stand below ':' without a quotation mark, and only those of doubles hold a point or an e.
_OF = {
    "postgresql": {
        "is_small": f"OCTET_LENGTH(value) <= {_SMALL} AND value < ':' AND value >= '-'"
        " AND STRPOS(value, '.') = 0 AND STRPOS(value, 'e') = 0",
        "whole": "integer",
        # Else the JSON would be read, and a value judged, for each mention. What differs from row to row is left where
        # it stands, and is still read in parallel, which a limit would end.
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
# Without memory for it, many groups are expected to need a sort of all records first.
_ROOM = "SELECT SET_CONFIG('work_mem', '32MB', true), SET_CONFIG('jit', 'off', true)"
_IS_NUMBER = "(value >= '-' AND value < ':')"
_IS_SCALAR = "SUBSTR(value, 1, 1) NOT IN ('[', '{')"


class Counted(NamedTuple):
    """Records that are alike. keys: the JSON texts of the group_by fields, None where absent.

    field: number of the collected field, in the order of `fields`; the rows of number 0 hold every record once.
    value: JSON text, WHOLE, OTHER, or None for null and absent. total, least, greatest: of WHOLE.
    """

    keys: tuple[str | None, ...]
    period: datetime | None
    field: int
    value: str | None
    records: int
    total: int | None
    least: int | None
    greatest: int | None


def fields(collects: Iterable[Collect]) -> dict[str, set[str]]:
    """Return the collected fields in their order, each with its methods."""
    found: dict[str, set[str]] = {}
    for one in collects:
        found.setdefault(one.name, set()).add(one.method)
    return found


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
    figures = _FIGURES.format(n="n")
    return f"SELECT {', '.join(by)}, 0, {figures} FROM ({sql}) AS equal", parameters  # noqa: S608  our own names


def _collected(
    records: QuerySet[Record], by: dict[str, FieldText | PeriodStart], number: int, field: tuple[str, set[str]]
) -> tuple[str, tuple[Any, ...]]:
    name, methods = field
    is_summed = methods <= {"sum", "mean", "min", "max", "count"} and methods != {"count"}
    value = _value(methods, "whole IS NOT NULL" if is_summed else "")
    keys = ", ".join(by)
    if is_summed:  # equal values are not counted first: they may be as many as the records
        each = records.annotate(**by, value=FieldText(name)).values_list(*by, "value")
        sql, parameters = each.query.sql_with_params()
        return _SUMMED.format(keys=keys, number=number, shown=value, each=sql, **_OF[connection.vendor]), parameters
    sql, parameters = _equal(records, {**by, "value": FieldText(name)})
    return _COLLECTED.format(keys=keys, number=number, value=value, equal=sql), parameters


def _value(methods: set[str], is_small: str) -> str:
    """Return the SQL for what stands in place of a value: no more is told apart than the methods need."""
    cases = [f"WHEN {is_small} THEN '{WHOLE}'"] if is_small else []
    cases.append("WHEN value = 'null' THEN NULL")
    if methods - {"count", "set"}:
        cases.append(f"WHEN {_IS_NUMBER} THEN value")
    if "set" in methods:
        cases.append(f"WHEN {_IS_SCALAR} THEN value")
    return f"CASE {' '.join(cases)} WHEN value IS NOT NULL THEN '{OTHER}' END"


@contextmanager
def _room() -> Iterator[None]:
    """Give PostgreSQL memory for the groups. On SQLite a transaction would keep writers out while it counts."""
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_ROOM)
        yield


def _rows(statement: str, parameters: list[Any]) -> Iterator[tuple[Any, ...]]:
    with _room(), connection.cursor() as cursor:
        # Materialized: else PostgreSQL would plan for the first rows alone, and sort a million to count them.
        few_at_most = f"WITH counted AS MATERIALIZED ({statement}) SELECT * FROM counted LIMIT {_FEW + 1}"  # noqa: S608
        cursor.execute(few_at_most, parameters)
        few = cursor.fetchall()
    if len(few) <= _FEW:
        yield from few
        return
    del few
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, parameters)
        while block := cursor.fetchmany(_AT_ONCE):
            yield from block
