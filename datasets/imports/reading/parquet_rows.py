"""Read the rows of a Parquet file with DuckDB. Source: docs/reference/imports.md §5."""

import math
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID

from config.limited import TooLarge
from datasets.columns.duckdb import connect, identifier, quoted
from datasets.imports.reading import numbers, zones
from datasets.imports.reading.cells import Bad, Cell, CellMoment, Unfit, UnreadableFile
from datasets.imports.reading.csv_rows import BrokenRow
from datasets.imports.reading.forms import iso

_MEMORY_MB = 100
_AT_ONCE = 1_000
_NANOSECONDS = {"TIMESTAMP_NS", "TIMESTAMPTZ_NS", "TIME_NS"}  # Python's types would cut them off
_NESTED = re.compile(r'("(?:[^"]|"")*")|\b(?:TIMESTAMP_NS|TIMESTAMPTZ_NS|TIME_NS)(?=[,)\[]|$)')  # or a quoted name


def rows(path: str) -> Iterator[tuple[int, dict[str, Cell] | BrokenRow]]:
    """Yield each row with its number, from 1. Raises UnreadableFile."""
    import duckdb

    folder = str(Path(path).parent)
    try:
        with connect([folder], memory_mb=_MEMORY_MB, spill=f"{folder}/spill", threads=1) as connection:
            table = f"FROM read_parquet({quoted(path)})"
            kinds = {name: kind for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * {table}").fetchall()}
            exact = {name: _as_text(kind) for name, kind in kinds.items() if _as_text(kind) != kind}
            texts = (f"CAST({identifier(name)} AS {kind}) AS {identifier(name)}" for name, kind in exact.items())
            replaced = f"REPLACE ({', '.join(texts)})" if exact else ""
            found = connection.execute(f"SELECT * {replaced} {table}")
            moments = {name for name, kind in kinds.items() if kind in _NANOSECONDS and kind != "TIME_NS"}
            names = [column[0] for column in found.description or []]
            number = 0  # one thread reads the rows in the order of the file
            while some := found.fetchmany(_AT_ONCE):
                for row in some:
                    number += 1
                    values = {name: _value(value) for name, value in zip(names, row, strict=True)}
                    values |= {name: _moment(values[name]) for name in moments}
                    yield number, values
    except duckdb.OutOfMemoryException as error:
        raise TooLarge from error
    except duckdb.Error as error:
        raise UnreadableFile(
            "The Parquet file is damaged or has a form that cannot be read. Write it again, or as CSV."
        ) from error


def _as_text(kind: str) -> str:
    """Return the type that keeps nanoseconds as texts, those inside of lists and objects, too.

    >>> _as_text('STRUCT("a TIME_NS" INTEGER, b TIMESTAMP_NS[])')
    'STRUCT("a TIME_NS" INTEGER, b VARCHAR[])'
    """
    return _NESTED.sub(lambda found: found[1] or "VARCHAR", kind)


def _value(value: object) -> Cell:
    try:
        return _converted(value)
    except Unfit as error:
        return Bad(str(value)[:200], str(error))


def _moment(text: Cell) -> Cell:
    try:
        return iso(text) if isinstance(text, str) else text
    except Unfit as error:
        return Bad(str(text), str(error))


def _converted(value: object) -> Cell:
    if isinstance(value, float) and not math.isfinite(value):
        raise Unfit("is not a number")
    if isinstance(value, datetime):
        fraction = f"{value.microsecond:06}".rstrip("0")
        at = value.replace(microsecond=0)
        return CellMoment(at.astimezone(UTC) if at.tzinfo else at, True, fraction)
    if isinstance(value, date):
        return CellMoment(datetime(value.year, value.month, value.day), False)  # noqa: DTZ001  a date has no zone
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else numbers.as_float(value)
    if isinstance(value, list | tuple):
        return [_inner(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _inner(one) for name, one in value.items()}
    if isinstance(value, UUID | time | timedelta):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        raise Unfit("is binary, and no text")
    return value


def _inner(value: object) -> Cell:
    converted = _converted(value)
    if not isinstance(converted, CellMoment):
        return converted
    return converted.text if converted.at.tzinfo is None else zones.written(converted, "UTC")
