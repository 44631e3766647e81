"""Let DuckDB find quantiles and numbers of different values of a field, if all its numbers are of one kind.

DuckDB's own interpolation rounds otherwise than the row store's. So its discrete quantile is only a value near the
place: a second statement counts how many are smaller and returns its neighbours, and Python interpolates.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from datasets.queries.column_files.fields import CollectedField
from datasets.queries.column_files.statement import GroupedStatement
from datasets.queries.counted import Computed
from datasets.queries.methods import QUANTILES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NEIGHBOURS = (
    "count(*) FILTER (WHERE each.x < near.v[{0}]), count(*) FILTER (WHERE each.x <= near.v[{0}]),"
    " max(each.x) FILTER (WHERE each.x < near.v[{0}]), min(each.x) FILTER (WHERE each.x > near.v[{0}])"
)


def computed(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField
) -> Iterator[Computed]:
    """Yield the values of the field's computed methods for each group of the statement."""
    quantiles = [method for method in field.computed if method in QUANTILES]
    if quantiles:
        yield from _quantiles(connection, statement, field, quantiles)
    if "stddev" in field.computed:
        yield from _deviations(connection, statement, field)
    if "distinct" in field.computed:
        _, _, text, other = field.columns
        different = (field.of, text, f"CASE WHEN {other} IN ('true', 'false') THEN {other} END")
        number = " + ".join(f"count(DISTINCT {value})" for value in different)
        for keys, period, (distinct,) in statement.rows(connection, [number]):
            yield Computed(keys, period, field.number, "distinct", distinct)


class _Numbers(NamedTuple):
    """The numbers of a field, each with its groups, as SQL that can be joined with what is known of its group.

    each: a relation with the groups `g0`, `g1` … and the number `x`; same: the condition that joins `each` and `near`
    """

    groups: list[str]
    each: str
    by: str
    same: str
    ways: str

    @classmethod
    def of(cls, statement: GroupedStatement, field: CollectedField) -> "_Numbers":
        groups = [f"g{number}" for number in range(len(statement.groups))]
        named = [f"{column} AS {name}" for column, name in zip(statement.groups, groups, strict=True)]
        each = (
            f"SELECT {', '.join([*named, f'{field.of} AS x'])} FROM ({statement.source})"  # noqa: S608  numbered columns
            f" WHERE {statement.conditions.sql} AND {field.of} IS NOT NULL"
        )
        return cls(
            groups=groups,
            each=each,
            by=f"GROUP BY {', '.join(groups)}" if groups else "",
            same=" AND ".join(f"each.{name} IS NOT DISTINCT FROM near.{name}" for name in groups) or "true",
            ways=f"GROUP BY {', '.join(f'each.{name}' for name in groups)}" if groups else "",
        )

    def near(self, *columns: str) -> str:
        return f"SELECT {', '.join([*self.groups, *columns])} FROM ({self.each}) {self.by}"  # noqa: S608

    def joined(self, near: str, *columns: str) -> str:
        selected = [*(f"each.{name}" for name in self.groups), *columns]
        return (
            f"SELECT {', '.join(selected)} FROM ({self.each}) AS each JOIN ({near}) AS near ON {self.same} {self.ways}"  # noqa: S608
        )


def _deviations(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField
) -> Iterator[Computed]:
    """Add up the differences from a number near the mean: sums of squares of the numbers would lose digits."""
    numbers = _Numbers.of(statement, field)
    is_whole = field.of == field.columns[0]
    near = numbers.near("CAST(avg(x) AS HUGEINT) AS middle" if is_whole else "avg(x) AS middle")
    difference = "CAST(CAST(x AS HUGEINT) - middle AS DOUBLE)" if is_whole else "(x - middle)"
    sums = f"fsum({difference}), fsum({difference} * {difference})"
    found = connection.cursor().execute(numbers.joined(near, "count(*)", sums), statement.conditions.parameters * 2)
    for keys, period, (number, rest, squares) in statement.split(found):
        if number > 1:
            value = math.sqrt(max(squares - rest * rest / number, 0.0) / (number - 1))
            yield Computed(keys, period, field.number, "stddev", value)


def _quantiles(
    connection: "DuckDBPyConnection", statement: GroupedStatement, field: CollectedField, methods: list[str]
) -> Iterator[Computed]:
    shares = [QUANTILES[method] for method in methods]
    numbers = _Numbers.of(statement, field)
    near = numbers.near("count(*) AS n", f"quantile_disc(x, {shares}) AS v")
    neighbours = [_NEIGHBOURS.format(number + 1) for number in range(len(shares))]
    sql = numbers.joined(near, "any_value(near.n)", "any_value(near.v)", *neighbours)
    found = connection.cursor().execute(sql, statement.conditions.parameters * 2)
    for keys, period, (number, values, *rest) in statement.split(found):
        for place, method in enumerate(methods):
            if number:
                near_place = (values[place], *rest[4 * place : 4 * place + 4])
                yield Computed(keys, period, field.number, method, _quantile(shares[place], number, *near_place))


def _quantile(share: float, number: int, value: Any, smaller: int, up_to: int, before: Any, after: Any) -> int | float:
    """Interpolate as `methods` does. The value has the places from `smaller` to before `up_to`."""

    def at(place: int) -> Any:
        if smaller <= place < up_to:
            return value
        return before if place < smaller else after

    place = (number - 1) * share
    below = math.floor(place)
    low, high = at(below), at(min(below + 1, number - 1))
    result: int | float = low if place == below or low == high else low + (high - low) * (place - below)
    return result
