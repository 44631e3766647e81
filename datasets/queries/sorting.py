"""Sort records by one of the caller's own fields, in SQL.
Source: docs/reference/data-sets.md §11 (order of values, raw).

SQL computes three columns from the JSON text of the field (`comparing`): the kind (number, text, false, true, or other,
which is last in both directions), the number, and the text.

The database sorts an export into a temporary file, which is read in blocks.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from config.databases import replica
from config.databases.streaming import streaming
from datasets.models import Record
from datasets.queries import comparing, selected, values
from datasets.queries.cursor import Position
from datasets.queries.selected import COLUMNS, SHORT, Row
from datasets.queries.stored import FieldText, prepare, written_moment

_AT_ONCE = 2_000  # rows fetched at a time
_LENGTH = "LENGTH(CAST(body AS text))"
_SHORT_BODY = f"CASE WHEN {_LENGTH} <= {SHORT} THEN CAST(body AS text) END"
_SELECTED = [*(_SHORT_BODY if column == "body" else f'"{column}"' for column in COLUMNS), f"CAST({_LENGTH} AS text)"]
_LAST, _LAST_FALLING = 9, -1

_SORTED = """
SELECT {columns} FROM (
    SELECT *, {kind} AS kind
    FROM ({found} {apart}) AS found
) AS keyed {after} ORDER BY kind {way}, {number} {way}, {text} {way}, "timestamp" {way}, record_id {way} {limit}
"""


def by_field(
    store_id: int, records: QuerySet[Record], name: str, *, falling: bool, after: Position | None, most: int | None
) -> Iterator[Row | None]:
    """Yield up to `most` records after a position, sorted by the field, then by time and `_id`. None means all."""
    prepare()
    is_postgresql = connection.vendor == "postgresql"
    number, text = comparing.number_sql(), comparing.text_sql()
    found, parameters = records.annotate(field=FieldText(name)).values_list(*COLUMNS, "field").query.sql_with_params()
    condition, place = _beyond(after, number, text, falling=falling) if after is not None else ("", [])
    statement = _SORTED.format(
        columns=", ".join(_SELECTED),
        kind=comparing.KIND.format(last=_LAST_FALLING if falling else _LAST),
        found=found,
        apart="OFFSET 0" if is_postgresql else "LIMIT -1",  # else the JSON is parsed for each use of `field`
        after=condition,
        number=number,
        text=text,
        way="DESC" if falling else "ASC",
        limit="" if most is None else f"LIMIT {most}",
    )
    return selected.whole(store_id, _rows(statement, [*parameters, *place], is_page=most is not None))


def _beyond(after: Position, number: str, text: str, *, falling: bool) -> tuple[str, list[Any]]:
    """Return the SQL condition for records after the position, and its parameters."""
    sign = "<" if falling else ">"
    at = connection.ops.adapt_datetimefield_value(after.timestamp)
    tie, tied = f'("timestamp" {sign} %s OR ("timestamp" = %s AND record_id {sign} %s))', [at, at, after.record_id]
    kind, key, value = _key(after.value, number, text, falling=falling)
    if key:
        tie, tied = f"({key[0]} {sign} {key[1]} OR ({key[0]} = {key[1]} AND {tie}))", [value, value, *tied]
    return f"WHERE kind {sign} %s OR (kind = %s AND {tie})", [kind, kind, *tied]


def _key(value: Any, number: str, text: str, *, falling: bool) -> tuple[int, tuple[str, str] | None, Any]:
    """Return the kind of a value, its column and placeholder if the kind has several values, and its parameter."""
    if isinstance(value, bool):
        return (comparing.TRUE if value else comparing.FALSE), None, None
    if isinstance(value, str):
        return comparing.TEXT, (text, "%s"), value
    found = values.number(value)
    if found is None:
        return (_LAST_FALLING if falling else _LAST), None, None
    placeholder, parameter = comparing.number_parameter(found)
    return comparing.NUMBER, (number, placeholder), parameter


def _rows(statement: str, parameters: list[Any], *, is_page: bool) -> Iterator[tuple[Row, str]]:
    connection = replica.connection()
    with (
        nullcontext() if is_page else streaming(connection.alias),
        connection.cursor() if is_page else connection.chunked_cursor() as cursor,
    ):
        cursor.execute(statement, parameters)
        while block := cursor.fetchmany(_AT_ONCE):
            for record_id, timestamp, start_at, end_at, body, updated_at, length in block:
                at, start, end, updated = map(written_moment, (timestamp, start_at, end_at, updated_at))
                yield Row(record_id, at, start, end, body, updated), length  # type: ignore[arg-type]  # never null
