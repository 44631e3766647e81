"""Sort records by one of the caller's own fields, in SQL.
Source: docs/reference/data-sets.md §11 (order of values, raw).

SQL computes three columns from the JSON text of the field: the kind (number, text, false, true, or other, which is last
in both directions), the number, and the text. Whole numbers within 64 bits compare exactly, all others as doubles.
PostgreSQL compares decimals. SQLite compares integers and doubles, and Python converts all but small whole numbers.

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
from datasets.queries import selected, values
from datasets.queries.cursor import Position
from datasets.queries.selected import COLUMNS, SHORT, Row
from datasets.queries.stored import FieldText, prepare, read_moment

_AT_ONCE = 2_000  # rows fetched at a time
_LENGTH = "LENGTH(CAST(body AS text))"
_SHORT_BODY = f"CASE WHEN {_LENGTH} <= {SHORT} THEN CAST(body AS text) END"
_SELECTED = [*(_SHORT_BODY if column == "body" else f'"{column}"' for column in COLUMNS), _LENGTH]
_NUMBER, _TEXT, _FALSE, _TRUE = range(4)
_LAST, _LAST_FALLING = 9, -1

# JSON texts start with a quotation mark, which sorts before the digits. Null, arrays and objects are left over.
_SORTED = """
SELECT {columns} FROM (
    SELECT *, CASE WHEN field < '-' THEN 1 WHEN field < ':' THEN 0
                   WHEN field = 'false' THEN 2 WHEN field = 'true' THEN 3 ELSE {last} END AS kind
    FROM ({found} {apart}) AS found
) AS keyed {after} ORDER BY kind {way}, {number} {way}, {text} {way}, "timestamp" {way}, record_id {way} {limit}
"""
_INT64_BORDER, _EXACT_BORDER = 2**63, 2**53  # above the second, every double is a whole number
_TOO_LARGE = 2**1024 - 2**970  # the smallest whole number that does not round to a double
# A number of up to 14 characters is exact, so nearly all numbers match the first line.
_POSTGRESQL_NUMBER = f"""
CASE WHEN kind = 0 AND LENGTH(field) <= 14 THEN CAST(field AS numeric)
     WHEN kind <> 0 THEN NULL
     WHEN CAST(field AS numeric) >= {_TOO_LARGE} THEN CAST('Infinity' AS numeric)
     WHEN CAST(field AS numeric) <= -{_TOO_LARGE} THEN CAST('-Infinity' AS numeric)
     WHEN ABS(CAST(field AS numeric)) < {_EXACT_BORDER} THEN CAST(field AS numeric)
     WHEN TRIM(field, '-0123456789') = '' AND CAST(field AS numeric) BETWEEN -{_INT64_BORDER} AND {_INT64_BORDER - 1}
         THEN CAST(field AS numeric)
     WHEN CAST(field AS float8) >= -{_INT64_BORDER} AND CAST(field AS float8) < {_INT64_BORDER}
         THEN CAST(CAST(CAST(field AS float8) AS bigint) AS numeric)
     ELSE CAST(CAST(CAST(field AS float8) AS text) AS numeric) END
"""
_POSTGRESQL_TEXT = """
(CASE WHEN kind <> 1 THEN NULL WHEN STRPOS(field, '\\') = 0 THEN SUBSTR(field, 2, LENGTH(field) - 2)
      ELSE CAST(field AS json) #>> '{}' END) COLLATE "C"
"""
_SQLITE_NUMBER = """
CASE WHEN kind = 0 AND LENGTH(field) <= 18 AND field NOT GLOB '*[^-0-9]*' THEN CAST(field AS integer)
     WHEN kind = 0 THEN signalbox_number(field) END
"""
_SQLITE_TEXT = """
CASE WHEN kind <> 1 THEN NULL WHEN INSTR(field, '\\') = 0 THEN SUBSTR(field, 2, LENGTH(field) - 2)
     ELSE field ->> '$' END
"""


def by_field(
    store_id: int, records: QuerySet[Record], name: str, *, falling: bool, after: Position | None, most: int | None
) -> Iterator[Row | None]:
    """Yield up to `most` records after a position, sorted by the field, then by time and `_id`. None means all."""
    prepare()
    is_postgresql = connection.vendor == "postgresql"
    number = _POSTGRESQL_NUMBER if is_postgresql else _SQLITE_NUMBER
    text = _POSTGRESQL_TEXT if is_postgresql else _SQLITE_TEXT
    found, parameters = records.annotate(field=FieldText(name)).values_list(*COLUMNS, "field").query.sql_with_params()
    condition, place = _beyond(after, number, text, falling=falling) if after is not None else ("", [])
    statement = _SORTED.format(
        columns=", ".join(_SELECTED),
        last=_LAST_FALLING if falling else _LAST,
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
        return (_TRUE if value else _FALSE), None, None
    if isinstance(value, str):
        return _TEXT, (text, "%s"), value
    found = values.number(value)
    if found is None:
        return (_LAST_FALLING if falling else _LAST), None, None
    if connection.vendor == "sqlite":
        return _NUMBER, (number, "%s"), found
    is_exact = isinstance(found, float) and abs(found) >= _EXACT_BORDER and -_INT64_BORDER <= found < _INT64_BORDER
    return _NUMBER, (number, "CAST(%s AS numeric)"), str(int(found) if is_exact else found)


def _rows(statement: str, parameters: list[Any], *, is_page: bool) -> Iterator[tuple[Row, int]]:
    connection = replica.connection()
    with (
        nullcontext() if is_page else streaming(connection.alias),
        connection.cursor() if is_page else connection.chunked_cursor() as cursor,
    ):
        cursor.execute(statement, parameters)
        while block := cursor.fetchmany(_AT_ONCE):
            for record_id, timestamp, start_at, end_at, body, updated_at, length in block:
                moments = map(read_moment, (timestamp, start_at, end_at, updated_at))
                at, start, end, updated = moments
                yield Row(record_id, at, start, end, body, updated), length  # type: ignore[arg-type]  # never null
