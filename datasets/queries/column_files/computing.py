"""Let DuckDB find quantiles and numbers of different values of a field, if all its numbers are of one kind.

Each is exactly the row store's, whose interpolation and sums Python repeats.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from datasets.columns import layout
from datasets.columns.duckdb import memory_mib
from datasets.queries.column_files import quantiles
from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.grouped_values import GroupedValues
from datasets.queries.column_files.known_groups import MOST, KnownGroups
from datasets.queries.column_files.sources import is_null
from datasets.queries.column_files.statement import GroupedStatement, StatementRow
from datasets.queries.counted import Computed
from datasets.queries.methods import QUANTILES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Types of numbers with one bit for each group, the smallest first: with 8 bytes for 4 groups, DuckDB writes to disk.
_BITS = {8: "UTINYINT", 16: "USMALLINT", 32: "UINTEGER", MOST: "UBIGINT"}
_IN_A_MIB = 16_000  # records that DuckDB may group by group and value without writing to disk


def computed(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField, known: KnownGroups | None
) -> Iterator[Computed]:
    """Yield the values of the computed methods of the field for each group of the statement.

    known: what is known of all these groups, None if they have to be read
    """
    asked = [method for method in field.computed if method in QUANTILES]
    if "stddev" in field.computed:
        yield from _deviations(connection, statement, field)
    if {*field.computed} == {"stddev"}:
        return
    if known is None or (asked and field.number not in known.sizes):
        known = KnownGroups.read(connection, statement, field)
    if asked:
        yield from quantiles.found(connection, statement, field, asked, known)
    if "distinct" in field.computed:
        bits_from = int(memory_mib(connection) * _IN_A_MIB)
        for keys, period, (number,), _ in different(connection, statement, field, known, bits_from=bits_from):
            yield Computed(keys, period, field.number, "distinct", number)


def different(
    connection: "DuckDBPyConnection",
    statement: GroupedStatement,
    field: CollectedField,
    known: KnownGroups,
    *,
    bits_from: int,
) -> Iterator[StatementRow]:
    """Count the different values of a field whose numbers are in one column.

    For few groups, group once by the value and set a bit for each of its groups: a value of four groups needs one entry
    in memory and not four, so that a million of them fit. This takes longer for fewer records than `bits_from`.
    """
    _, _, text, other = field.columns
    by_column = {field.of: field.of, text: text, other: f"CASE WHEN {other} IN ('true', 'false') THEN {other} END"}
    different = [value for column, value in by_column.items() if not is_null(column)]
    columns = {f"x{number}": value for number, value in enumerate(different)}
    values = GroupedValues(statement, columns)
    groups = known.groups
    if not (columns and values.named and groups) or len(groups) > MOST or known.records < bits_from:
        counts = " + ".join(f"count(DISTINCT {value})" for value in different) or "0"
        yield from statement.rows(connection, [counts])
        return
    type_ = next(type_ for most, type_ in _BITS.items() if len(groups) <= most)
    totals = ", ".join(f"count(*) FILTER (WHERE (bits >> {bit}) & 1 = 1)" for bit in range(len(groups)))
    places = [place for place, column in enumerate(statement.groups) if not is_null(column)]
    of_group = ", ".join(f"CAST(? AS {_type(place, statement)})" for place in places)
    each_group = ", ".join(f"({of_group}, CAST({1 << bit} AS {type_}))" for bit, _ in enumerate(groups))
    sql = f"""
        SELECT {totals} FROM (
            SELECT bit_or(bit) AS bits
            FROM ({values.each}) AS each
            JOIN (VALUES {each_group}) AS known({", ".join(values.named)}, bit) ON {values.same("each", "known")}
            GROUP BY {", ".join(columns)}
        )
    """  # noqa: S608  numbered columns, bound values
    parameters = [*statement.conditions.parameters, *(row.groups[place] for row in groups for place in places)]
    (numbers,) = connection.cursor().execute(sql, parameters).fetchall()
    for row, number in zip(groups, numbers, strict=True):
        if statement.only is None or row.keys in statement.only:
            yield row._replace(values=[number])


def _type(place: int, statement: GroupedStatement) -> str:
    """Return the type of a column by which the statement groups."""
    is_period = statement.by_period and place == len(statement.groups) - 1
    return "TIMESTAMP" if is_period else layout.type_of(layout.column(layout.KINDS[place % len(layout.KINDS)], ""))


def _deviations(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField
) -> Iterator[Computed]:
    """Add up the differences from a number near the mean: sums of squares of the numbers would lose digits."""
    numbers = GroupedValues(statement, {"x": field.of})
    is_whole = field.of == field.columns[0]
    middle = "CAST(avg(x) AS HUGEINT)" if is_whole else "avg(x)"
    difference = "CAST(CAST(x AS HUGEINT) - middle AS DOUBLE)" if is_whole else "(x - middle)"
    of_each = [f"each.{name}" for name in numbers.named]
    sql = f"""
        WITH each AS NOT MATERIALIZED ({numbers.each}),
        near AS (SELECT {", ".join([*numbers.named, f"{middle} AS middle"])} FROM each {numbers.by()}),
        apart AS (
            SELECT {", ".join([*of_each, f"{difference} AS difference"])}
            FROM each JOIN near ON {numbers.same("each", "near")}
        )
        SELECT {", ".join(numbers.groups)}{"," if numbers.groups else ""}
            count(*), fsum(difference), fsum(difference * difference)
        FROM apart {numbers.by()}
    """  # noqa: S608  numbered columns, bound values
    found = connection.cursor().execute(sql, statement.conditions.parameters)
    for keys, period, (number, rest, squares), _ in statement.split(found):
        if number > 1:
            value = math.sqrt(max(squares - rest * rest / number, 0.0) / (number - 1))
            yield Computed(keys, period, field.number, "stddev", value)
