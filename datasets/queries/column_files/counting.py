"""Count the records of column files in DuckDB, as `queries.counting` does in the databases.

`fields` decides what DuckDB adds up itself. What it lists, `collect` adds up.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from datasets.columns.layout import KINDS
from datasets.queries.column_files import computing
from datasets.queries.column_files.conditions import Conditions
from datasets.queries.column_files.fields import TOTALS, CollectedField
from datasets.queries.column_files.sources import Relation
from datasets.queries.column_files.statement import GroupedStatement, text_of
from datasets.queries.counted import DOUBLES, OTHER, WHOLE, Computed, Counted, fields
from datasets.queries.methods import POINT
from datasets.queries.query import Query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def count(
    connection: "DuckDBPyConnection",
    relation: Relation,
    conditions: Conditions,
    query: Query,
    only: set[tuple[str | None, ...]] | None = None,
) -> Iterator[Counted | Computed]:
    """Yield the counts of the records, in no order. only: the keys of the groups to count, None for all"""
    by_value = [relation.column(kind, name) for name in query.group_by for kind in KINDS]
    by_period = [] if query.period is None else [f"CAST(date_trunc('{query.period}', _timestamp) AS TIMESTAMP)"]
    statement = GroupedStatement(
        relation.sql(), conditions, [*by_value, *by_period], by_period=bool(by_period), only=only
    )
    whole = GroupedStatement(relation.sql(), conditions, by_value, by_period=False, only=only)
    collected = [
        CollectedField.plan(connection, whole, number, relation, name, methods)
        for number, (name, methods) in enumerate(fields(query.collect).items())
    ]
    yield from _totals(connection, statement, collected)
    for field in collected:
        if field.listed:
            for keys, period, values in statement.rows(connection, ["count(*)"], field.columns, field.listed):
                yield Counted(keys, period, field.number, text_of(*values[: len(KINDS)]), values[-1])
        if field.computed:
            yield from computing.computed(connection, statement, field)
            if query.period is not None and query.group_by:
                yield from computing.computed(connection, whole, field)


def _totals(
    connection: "DuckDBPyConnection", statement: GroupedStatement, collected: list[CollectedField]
) -> Iterator[Counted]:
    columns = ["count(*)", *(column for field in collected for column in field.totals())]
    for keys, period, (records, *totals) in statement.rows(connection, columns):
        if not collected:
            if records:
                yield Counted(keys, period, 0, None, records)
            continue
        for field in collected:
            wholes, total, least, greatest, doubles, scaled, smallest, largest, others, listed = totals[:TOTALS]
            del totals[:TOTALS]
            if wholes:
                yield Counted(keys, period, field.number, WHOLE, wholes, int(total), least, greatest)
            if doubles:
                exact = int(scaled) << (POINT - (field.places or 0))
                yield Counted(keys, period, field.number, DOUBLES, doubles, exact, smallest, largest)
            if others:
                yield Counted(keys, period, field.number, OTHER, others)
            rest = records - wholes - doubles - others - listed
            if field.number == 0 and rest:
                yield Counted(keys, period, 0, None, rest)
