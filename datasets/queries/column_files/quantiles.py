"""Find the two neighbours of quantiles in DuckDB, and interpolate as `methods` does.

DuckDB would interpolate and round otherwise than the row store.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from datasets.columns.duckdb import memory_mib
from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.grouped_values import GroupedValues
from datasets.queries.column_files.known_groups import KnownGroups
from datasets.queries.column_files.statement import GroupedStatement
from datasets.queries.counted import Computed
from datasets.queries.methods import QUANTILES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_IN_A_MIB = 16_000  # numbers that DuckDB may keep for its own quantiles; with twice as many, some queries did not fit
_MOST_FRACTIONS = 100  # with more, its own quantiles take longer than parts
_PARTS = 64  # of the range of the numbers; with more, counting them takes longer, and with fewer, sorting some of them


def found(
    connection: "DuckDBPyConnection",
    statement: GroupedStatement,
    field: CollectedField,
    methods: list[str],
    known: KnownGroups,
) -> Iterator[Computed]:
    """Find the two neighbours of each quantile. DuckDB would interpolate and round otherwise than the row store.

    known: the sizes and the range of all numbers
    """
    sizes = known.sizes[field.number]
    shares = [QUANTILES[method] for method in methods]
    fractions = _fractions({*sizes} - {0}, shares)
    if not fractions:
        return
    is_large = sum(size * groups for size, groups in sizes.items()) > memory_mib(connection) * _IN_A_MIB
    if is_large or len(fractions) > _MOST_FRACTIONS:
        yield from by_parts(connection, statement, field, methods, known.ranges[field.number])
        return
    numbers = GroupedValues(statement, {"x": field.of})
    listed = ", ".join(f"CAST({fraction!r} AS DOUBLE)" for fraction in fractions)
    rows = connection.cursor().execute(
        f"SELECT {', '.join([*numbers.groups, 'count(x)', f'quantile_disc(x, [{listed}])'])}"  # noqa: S608
        f" FROM ({numbers.each}) {numbers.by()}",
        statement.conditions.parameters,
    )
    for keys, period, (size, values), _ in statement.split(rows):
        for share, method in zip(shares, methods, strict=True):
            around = [
                values[bisect_left(fractions, _fractions_of(place, size)[0])] for place in _neighbours(share, size)
            ]
            yield Computed(keys, period, field.number, method, _between(share, size, *around))


def _neighbours(share: float, size: int) -> tuple[int, int]:
    """Return the places of the two numbers around a quantile, from 0."""
    below = math.floor((size - 1) * share)
    return below, min(below + 1, size - 1)


def _fractions_of(place: int, size: int) -> tuple[float, float]:
    """Return the least and the greatest fraction for which `quantile_disc` returns this place, with a margin."""
    return (place + 0.25) / size, (place + 0.75) / size


def _fractions(sizes: set[int], shares: list[float]) -> list[float]:
    """Return as few fractions as possible, so that each neighbour in a group of each size has one. In order."""
    chosen: list[float] = []
    ranges = {_fractions_of(place, size) for size in sizes for share in shares for place in _neighbours(share, size)}
    for least, greatest in sorted(ranges, key=itemgetter(1)):
        if not chosen or chosen[-1] < least:
            chosen.append(greatest)
    return chosen


def by_parts(
    connection: "DuckDBPyConnection",
    statement: GroupedStatement,
    field: CollectedField,
    methods: list[str],
    ends: tuple[int | float, int | float],
) -> Iterator[Computed]:
    """Count the numbers in parts of their range, then sort only those of the right parts, because all do not fit.

    ends: the least and the greatest of all numbers
    """
    numbers = GroupedValues(statement, {"x": field.of})
    shares = [QUANTILES[method] for method in methods]
    lows = [f"CAST(floor((total - 1) * {share}e0) AS BIGINT)" for share in shares]
    neighbours = [place for low in lows for place in (low, f"least({low} + 1, total - 1)")]
    is_wanted = " OR ".join(f"(up_to > {low} AND up_to - n <= {low} + 1)" for low in lows)
    found_at = [f"max(CASE WHEN {place} >= before THEN sorted[{place} - before + 1] END)" for place in neighbours]
    of_each = "".join(f"each.{name}, " for name in numbers.named)
    named = "".join(f"{name}, " for name in numbers.named)
    partition = f"PARTITION BY {', '.join(numbers.named)}" if numbers.named else ""
    sql = f"""
        WITH each AS NOT MATERIALIZED (SELECT *, {_part(*ends)} AS part FROM ({numbers.each})),
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
    for keys, period, (number, *around), _ in statement.split(found):
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
