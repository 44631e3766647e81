"""Let DuckDB find quantiles and numbers of different values of a field, if all its numbers are of one kind.

Each is exactly the row store's, whose interpolation and sums Python repeats.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.sources import is_null
from datasets.queries.column_files.statement import GroupedStatement, GroupRow
from datasets.queries.counted import Computed
from datasets.queries.methods import QUANTILES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Types of numbers with one bit for each group, the smallest first: with 8 bytes for 4 groups, DuckDB writes to disk.
_BITS = {8: "UTINYINT", 16: "USMALLINT", 32: "UINTEGER", 64: "UBIGINT"}
_PARTS = 64  # of the range of the numbers; with more, counting them takes longer, and with fewer, sorting some of them


def computed(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField, methods: set[str]
) -> Iterator[Computed]:
    """Yield the values of these computed methods of the field for each group of the statement."""
    quantiles = [method for method in sorted(methods) if method in QUANTILES]
    if quantiles:
        yield from _quantiles(connection, statement, field, quantiles)
    if "stddev" in methods:
        yield from _deviations(connection, statement, field)
    if "distinct" in methods:
        for keys, period, (number,) in _distinct(connection, statement, field):
            yield Computed(keys, period, field.number, "distinct", number)


class _Values:
    """The values of some columns, each with its groups, as SQL that can be joined with what is known of its group.

    each: a relation with the groups `g0`, `g1` … and the columns by name, without records in which all are null
    named: its groups, without those that are null for all records; groups: all, as SQL
    """

    def __init__(self, statement: GroupedStatement, columns: dict[str, str]) -> None:
        self.named = [f"g{number}" for number, column in enumerate(statement.groups) if not is_null(column)]
        self.groups = [column if is_null(column) else f"g{number}" for number, column in enumerate(statement.groups)]
        named = [f"{column} AS g{number}" for number, column in enumerate(statement.groups) if not is_null(column)]
        selected = ", ".join([*named, *(f"{column} AS {name}" for name, column in columns.items())])
        is_there = " OR ".join(f"{column} IS NOT NULL" for column in columns.values())
        chosen = f"FROM ({statement.source}) WHERE {statement.conditions.sql}"
        self.each = f"SELECT {selected} {chosen} AND ({is_there})"
        self._different = f"SELECT DISTINCT {', '.join(named)} {chosen}"  # without the values, which take long to read
        self._parameters = statement.conditions.parameters

    def number_groups(self, cursor: "DuckDBPyConnection", *, most: int) -> int:
        """Create a table `numbered` with the groups by `number`. Return how many, or 0 for more than `most` or none."""
        if not self.named:
            return 0
        different = f"{self._different} LIMIT {most + 1}"
        cursor.execute(
            f"CREATE TEMP TABLE numbered AS SELECT *, row_number() OVER () - 1 AS number FROM ({different})",  # noqa: S608
            self._parameters,
        )
        ((number,),) = cursor.execute("SELECT count(*) FROM numbered").fetchall()
        return int(number) if number <= most else 0

    def by(self, *further: str) -> str:
        """Return the GROUP BY of the groups and further columns, or "" for none."""
        columns = [*self.named, *further]
        return f"GROUP BY {', '.join(columns)}" if columns else ""

    def same(self, one: str, other: str) -> str:
        """Return the condition that two relations have the same groups."""
        return " AND ".join(f"{one}.{name} IS NOT DISTINCT FROM {other}.{name}" for name in self.named) or "true"


def _distinct(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField
) -> Iterator[GroupRow]:
    """Count the different values of a field whose numbers are in one column.

    For few groups, group once by the value and set a bit for each of its groups: a value of four groups needs one entry
    in memory and not four, so that a million of them fit.
    """
    _, _, text, other = field.columns
    by_column = {field.of: field.of, text: text, other: f"CASE WHEN {other} IN ('true', 'false') THEN {other} END"}
    different = [value for column, value in by_column.items() if not is_null(column)]
    columns = {f"x{number}": value for number, value in enumerate(different)}
    values = _Values(statement, columns)
    cursor = connection.cursor()  # its table of groups ends with it
    groups = values.number_groups(cursor, most=max(_BITS)) if columns else 0
    if not groups:
        counts = " + ".join(f"count(DISTINCT {value})" for value in different) or "0"
        yield from statement.rows(connection, [counts])
        return
    type_ = next(type_ for most, type_ in _BITS.items() if groups <= most)
    totals = ", ".join(f"count(*) FILTER (WHERE (bits >> {bit}) & 1 = 1)" for bit in range(groups))
    sql = f"""
        SELECT {", ".join(values.groups)}, totals[number + 1]
        FROM numbered CROSS JOIN (
            SELECT [{totals}] AS totals FROM (
                SELECT bit_or(bit) AS bits
                FROM ({values.each}) AS each
                JOIN (SELECT *, CAST(1 AS {type_}) << CAST(number AS {type_}) AS bit FROM numbered) AS known
                    ON {values.same("each", "known")}
                GROUP BY {", ".join(columns)}
            )
        )
    """  # noqa: S608  numbered columns, bound values
    yield from statement.split(cursor.execute(sql, statement.conditions.parameters))


def _deviations(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField
) -> Iterator[Computed]:
    """Add up the differences from a number near the mean: sums of squares of the numbers would lose digits."""
    numbers = _Values(statement, {"x": field.of})
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
    for keys, period, (number, rest, squares) in statement.split(found):
        if number > 1:
            value = math.sqrt(max(squares - rest * rest / number, 0.0) / (number - 1))
            yield Computed(keys, period, field.number, "stddev", value)


def _quantiles(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField, methods: list[str]
) -> Iterator[Computed]:
    """Find the two neighbours of each quantile: count the numbers in ranges, then sort only those of the right ranges.

    DuckDB's own quantiles keep all numbers in memory and round otherwise than the row store's interpolation.
    """
    numbers = _Values(statement, {"x": field.of})
    ((least, greatest),) = connection.execute(
        f"SELECT min(x), max(x) FROM ({numbers.each})",  # noqa: S608
        statement.conditions.parameters,
    ).fetchall()
    if least is None:
        return
    shares = [QUANTILES[method] for method in methods]
    lows = [f"CAST(floor((total - 1) * {share}e0) AS BIGINT)" for share in shares]
    neighbours = [place for low in lows for place in (low, f"least({low} + 1, total - 1)")]
    is_wanted = " OR ".join(f"(up_to > {low} AND up_to - n <= {low} + 1)" for low in lows)
    found_at = [f"max(CASE WHEN {place} >= before THEN sorted[{place} - before + 1] END)" for place in neighbours]
    of_each = "".join(f"each.{name}, " for name in numbers.named)
    named = "".join(f"{name}, " for name in numbers.named)
    partition = f"PARTITION BY {', '.join(numbers.named)}" if numbers.named else ""
    sql = f"""
        WITH each AS NOT MATERIALIZED (SELECT *, {_part(least, greatest)} AS part FROM ({numbers.each})),
        parts AS (SELECT {named} part, count(*) AS n FROM each {numbers.by("part")}),
        placed AS (
            SELECT *, CAST(sum(n) OVER ({partition} ORDER BY part) AS BIGINT) AS up_to,
                CAST(sum(n) OVER ({partition}) AS BIGINT) AS total
            FROM parts
        ),
        wanted AS MATERIALIZED (SELECT {named} part, total, up_to - n AS before FROM placed WHERE {is_wanted}),
        chosen AS (
            SELECT {of_each} total, before, list_sort(list(x)) AS sorted
            FROM each JOIN wanted ON {numbers.same("each", "wanted")} AND each.part = wanted.part
            GROUP BY {of_each} total, before
        )
        SELECT {", ".join([*numbers.groups, "any_value(total)", *found_at])} FROM chosen {numbers.by()}
    """  # noqa: S608  numbered columns, bound values
    found = connection.cursor().execute(sql, statement.conditions.parameters)
    for keys, period, (number, *around) in statement.split(found):
        for place, method in enumerate(methods):
            value = _between(shares[place], number, *around[2 * place : 2 * place + 2])
            yield Computed(keys, period, field.number, method, value)


def _part(least: int | float, greatest: int | float) -> str:
    """Return SQL for the number of a part of the range, which never falls where `x` rises."""
    if isinstance(least, int):
        return f"x // {max((int(greatest) - least) // _PARTS, 1)}"
    width = greatest / _PARTS - least / _PARTS
    return f"floor(x / {width if 0 < width < math.inf else 1.0!r})"


def _between(share: float, number: int, low: int | float, high: int | float) -> int | float:
    """Interpolate as `methods` does."""
    place = (number - 1) * share
    below = math.floor(place)
    return low if place == below or low == high else low + (high - low) * (place - below)
