"""Write CSV, NDJSON and JSON line by line. Source: docs/reference/data-sets.md §11 (CSV, NDJSON)."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from config.spreadsheets import csv_line
from datasets import errors

MAX_COLUMNS = 10_000
_BLOCK_CHARACTERS = 100_000


def ndjson(lines: Iterable[str]) -> Iterator[str]:
    """Yield each JSON text with a line end."""
    for line in lines:
        yield line
        yield "\n"


def array(lines: Iterable[str]) -> Iterator[str]:
    """Yield one JSON array of the JSON texts, one element on each line."""
    yield "["
    for number, line in enumerate(lines):
        yield f"{',' if number else ''}\n{line}"
    yield "\n]\n"


def blocks(lines: Iterable[str]) -> Iterator[bytes]:
    """Join lines to blocks, because sending each line alone costs more than making it."""
    waiting: list[str] = []
    characters = 0
    for line in lines:
        waiting.append(line)
        characters += len(line)
        if characters >= _BLOCK_CHARACTERS:
            yield "".join(waiting).encode()
            waiting, characters = [], 0
    if waiting:
        yield "".join(waiting).encode()


def page(records: Iterable[str], next_cursor: Callable[[], str | None]) -> Iterator[str]:
    """Yield the JSON of a page. next_cursor: called after the last record"""
    yield '{"data":['
    for number, record in enumerate(records):
        if number:
            yield ","  # apart, because a record may have 4 MiB
        yield record
    cursor = next_cursor()
    yield '],"next_cursor":' + ("null" if cursor is None else f'"{cursor}"') + "}"


def begun(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Make the first block now, so that its errors are raised here, and return an iterator over all blocks."""
    first = next(blocks, b"")
    return _after(first, blocks)


def _after(first: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from blocks


def columns(names: Iterable[str]) -> set[str]:
    """Return the distinct names. Raises TooManyColumns: each line of a CSV has a cell for each of them."""
    found: set[str] = set()
    for name in names:
        found.add(name)
        if len(found) > MAX_COLUMNS:
            raise errors.TooManyColumns(limit=MAX_COLUMNS)
    return found


def csv(names: Iterable[str], rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a header of the sorted names and a line for each row; yield nothing if there are no names."""
    header = sorted(columns(names))
    if header:
        yield from table(header, (map(row.get, header) for row in rows))


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Yield a line for the header and one for each row."""
    yield csv_line(header)
    yield from map(csv_line, rows)


def with_previous(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with a column for each figure of the earlier range, such as `_previous._count`."""
    return [
        {key: value for key, value in row.items() if key != "_previous"}
        | {f"_previous.{key}": value for key, value in row["_previous"].items()}
        for row in rows
    ]


def names_of(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (name for row in rows for name in row)
