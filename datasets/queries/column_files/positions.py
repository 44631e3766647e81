"""Find the records of a raw read in column files: their moments and ids, in order. The row store then reads them.

The order is that of `queries.sorting`.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from datasets.columns.layout import KINDS, OTHER
from datasets.queries import values
from datasets.queries.column_files.conditions import Conditions
from datasets.queries.column_files.sources import Relation, as_double, naive
from datasets.queries.cursor import Position
from datasets.queries.query import Query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NUMBER, _TEXT, _FALSE, _TRUE, _LAST, _LAST_FALLING = 0, 1, 2, 3, 9, -1
OWN = frozenset({"_id", "_timestamp", "_start_at", "_end_at", "_updated_at"})


class RecordPlace(NamedTuple):
    """Where a record is stored."""

    timestamp: datetime
    record_id: str


def find(
    connection: "DuckDBPyConnection", relation: Relation, conditions: Conditions, query: Query, most: int
) -> list[RecordPlace]:
    """Return the places of the first `most` records after the query's position."""
    if query.after is not None:
        is_falling = query.sort is not None and query.sort.descending
        _add_position(
            conditions, _keys(relation, query, is_falling=is_falling), query.after, query, is_falling=is_falling
        )
    found = connection.execute(
        f"SELECT _timestamp, _id FROM ({relation.sql()}) WHERE {conditions.sql}"  # noqa: S608
        f" ORDER BY {order(relation, query)} LIMIT {most}",
        conditions.parameters,
    )
    return [RecordPlace(timestamp.replace(tzinfo=UTC), record_id) for timestamp, record_id in found.fetchall()]


def order(relation: Relation, query: Query) -> str:
    """Return the ORDER BY of a raw read."""
    is_falling = query.sort is not None and query.sort.descending
    way = "DESC" if is_falling else "ASC"
    keys = _keys(relation, query, is_falling=is_falling)
    name = query.sort.key if query.sort is not None else "_timestamp"
    kinds = relation.kinds.get(name, ())
    if len(kinds) == 1 and OTHER not in kinds:  # values of one kind need no other keys
        keys = [relation.column(kinds[0], name), *keys[-2:]]
    return ", ".join(f"{key} {way} NULLS LAST" for key in keys)


def _keys(relation: Relation, query: Query, *, is_falling: bool) -> list[str]:
    """Return the SQL of the values by which the read sorts."""
    name = query.sort.key if query.sort is not None else "_timestamp"
    if name == "_id":
        return ["_id"]
    if name == "_timestamp":
        return ["_timestamp", "_id"]
    if name in OWN:
        return [name, "_timestamp", "_id"]
    whole, double, text, other = (relation.column(kind, name) for kind in KINDS)
    is_number = f"coalesce(regexp_matches({other}, '^[-0-9]'), false)"
    long = f"CASE WHEN {is_number} THEN {as_double(other)} END"
    kind = (
        f"CASE WHEN {whole} IS NOT NULL OR {double} IS NOT NULL OR {is_number} THEN {_NUMBER}"
        f" WHEN {text} IS NOT NULL THEN {_TEXT} WHEN {other} = 'false' THEN {_FALSE} WHEN {other} = 'true' THEN {_TRUE}"
        f" ELSE {_LAST_FALLING if is_falling else _LAST} END"
    )
    # A whole number beyond 53 bits is compared by the nearest double first, then by its exact difference from it.
    number = f"coalesce(CAST({whole} AS DOUBLE), {double}, {long})"
    difference = f"coalesce(CAST({whole} AS HUGEINT) - CAST(CAST({whole} AS DOUBLE) AS HUGEINT), 0)"
    return [kind, number, difference, text, "_timestamp", "_id"]


def _add_position(conditions: Conditions, keys: list[str], after: Position, query: Query, *, is_falling: bool) -> None:
    sign = "<" if is_falling else ">"
    place = _values(after, query, is_falling=is_falling)
    either: list[str] = []
    parameters: list[Any] = []
    equal: list[str] = []
    before: list[Any] = []
    for key, value in zip(keys, place, strict=True):
        if value is not None:
            either.append(f"({' AND '.join([*equal, f'{key} {sign} ?'])})")
            parameters += [*before, value]
        equal.append(f"{key} IS NOT DISTINCT FROM ?")
        before.append(value)
    conditions.add(f"({' OR '.join(either)})", *parameters)


def _values(after: Position, query: Query, *, is_falling: bool) -> list[Any]:
    """Return the values of a position in the order of the keys."""
    name = query.sort.key if query.sort is not None else "_timestamp"
    if name == "_id":
        return [after.record_id]
    at = naive(after.timestamp)
    if name == "_timestamp":
        return [at, after.record_id]
    value = after.value
    if isinstance(value, bool):
        return [_TRUE if value else _FALSE, None, 0, None, at, after.record_id]
    if isinstance(value, str):
        return [_TEXT, None, 0, value, at, after.record_id]
    number = values.number(value)
    if number is None:
        return [_LAST_FALLING if is_falling else _LAST, None, 0, None, at, after.record_id]
    difference = number - int(float(number)) if isinstance(number, int) else 0
    return [_NUMBER, float(number), difference, None, at, after.record_id]
