"""Read a table from the text of a CSV file or from JSON arrays. Source: docs/reference/bulk-sending.md §2."""

import csv
import io
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from config.unseen import NO_BREAK_SPACES, ZERO_WIDTH
from config.workbooks.sheets import MAX_PLACES
from notifications.bulk_tables import number_formats
from notifications.rendering.characters import without_invisible

MAX_CELL_CHARACTERS = 131_072  # the default limit of Python's csv module
MAX_COLUMNS = 1000  # with a name
MAX_BLANK_ROWS = 1000  # one after another
NAMES_ROW = 1

Cell = str | list[str] | None

_SEPARATOR_LINE = re.compile(r"\ufeff?sep=([,;\t|])\r?\n", re.IGNORECASE)  # as Excel writes and reads it
_END_OF_FILE = "\x1a"  # of DOS
_BLANK = string.whitespace + ZERO_WIDTH + NO_BREAK_SPACES
_CELL_TOO_LONG = f"field larger than field limit ({MAX_CELL_CHARACTERS})"


class UnreadableTable(Exception):
    """The table cannot be read. The text of the error is shown to the caller."""

    kind = "unreadable"
    text = "{0}"

    def __str__(self) -> str:
        return self.text.format(*self.args)


class NotConvertible(UnreadableTable):
    """The CSV text or the JSON arrays of an API request cannot be read. Its argument is the reason."""

    text = "Error converting to CSV: {0}"


class UnclosedQuote(UnreadableTable):
    """A quotation mark is never closed, so the rest of the table would become one cell. Its argument is the row."""

    kind = "unclosed_quote"
    text = "Error converting to CSV: the quotation mark in row {0} is not closed"


class FarBelow(UnreadableTable):
    """A value stands far below the other rows, often by mistake. Its arguments are its row and the blank rows above."""

    text = "Row {0} has a value, but the {1} rows above it are empty. Delete that row or the empty ones, and try again."


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table whose rows can be read once, from first to last.

    names: the column names as written; empty if the table is empty
    rows: cells of each row below the names. A row may have fewer or more cells than there are names. Reading a row may
        raise Unreadable.
    """

    names: list[str] = field(default_factory=list)
    rows: Iterator[list[Cell]] = field(default_factory=lambda: iter(()))


def from_csv(text: str, *, delimiter: str = ",") -> Table:
    """Read the text of a CSV file.

    Raises NotConvertible, also while its rows are read, and UnclosedQuote.

    >>> table = from_csv("name, email address\\nAnn, ann@example.com\\n\\n")
    >>> table.names, list(table.rows)
    (['name', 'email address'], [['Ann', 'ann@example.com']])
    """
    if "\0" in text:
        raise NotConvertible("line contains NUL")
    text = text.rstrip(_END_OF_FILE)
    if named := _SEPARATOR_LINE.match(text):
        delimiter, text = named[1], text[named.end() :]
    # A delimiter at the start is the end of a first cell that is blank.
    text = text.lstrip(_BLANK.replace(delimiter, "")).rstrip(_BLANK + delimiter)
    unclosed = _row_with_unclosed_quote(text, delimiter)
    if unclosed:
        raise UnclosedQuote(unclosed)
    return from_rows(_csv_rows(text, delimiter))


def from_json(rows: Iterable[object]) -> Table:
    """Read an array of arrays, the column names first.

    A cell is a string, number, boolean, null or an array of these. Raises NotConvertible, also while rows are read.

    >>> table = from_json([["phone number", "late"], ["07700 900 123", True]])
    >>> list(table.rows)
    [['07700 900 123', 'True']]
    """
    return from_rows(map(_json_row, rows))


def from_rows(rows: Iterable[list[Cell]]) -> Table:
    """Return the table of these rows. Raises FarBelow while rows are read."""
    return from_numbered_rows(enumerate(rows, NAMES_ROW))


def from_numbered_rows(rows: Iterable[tuple[int, list[Cell]]]) -> Table:
    """Return the table of rows with their numbers, which rise and may leave out blank rows.

    Blank rows before the names and after the last row are left out, and cells beyond the column names. Names after the
    first MAX_COLUMNS + 1 are not kept. Raises FarBelow while rows are read.
    """
    remaining = iter(rows)
    first, row = next(((number, row) for number, row in remaining if any(map(clean, row))), (NAMES_ROW, []))
    names = _names(row)
    return Table(names=names, rows=_below(first, ((number, row[: len(names)]) for number, row in remaining)))


def clean(cell: Cell) -> Cell:
    """Return the value of a cell, or None if nothing is left of it.

    Zero-width and no-break characters vanish, and white space at both ends.
    """
    if isinstance(cell, list):
        return [item for item in map(without_invisible, cell) if item] or None
    return without_invisible(cell) or None if cell else None


def _csv_rows(text: str, delimiter: str) -> Iterator[list[Cell]]:
    lines = io.StringIO(text, newline="")  # a line ends with CRLF, LF or CR, which stays in quoted cells
    try:
        yield from csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    except csv.Error as error:
        raise NotConvertible(str(error)) from error


def _row_with_unclosed_quote(text: str, delimiter: str) -> int | None:
    """Return the number of the row whose quotation mark is never closed. The csv module accepts such text."""
    if '"' not in text:
        return None
    cell = re.compile(
        rf' *+(?:"(?P<quoted>(?:[^"]++|"")*+)(?P<closed>"?)[^{delimiter}\r\n]*+|[^{delimiter}\r\n]*+)(?P<end>\r\n|.?)',
        re.DOTALL,
    )
    number = NAMES_ROW
    for found in cell.finditer(text):
        if found["closed"] == "":
            return number
        number += found["end"] != delimiter
    return None


def _json_row(row: object) -> list[Cell]:
    if not isinstance(row, list):
        raise NotConvertible(f"iterable expected, not {type(row).__name__}")
    return [_json_cell(cell) for cell in row]


def _json_cell(cell: object) -> Cell:
    if isinstance(cell, list):
        return [_json_value(item) for item in cell if item is not None]
    return None if cell is None else _json_value(cell)


def _json_value(value: object) -> str:
    if isinstance(value, dict | list):
        raise NotConvertible(f"a cell cannot be {'an object' if isinstance(value, dict) else 'an array of arrays'}")
    printed = number_formats.without_zero(value) if isinstance(value, float) else str(value)
    if "\0" in printed:
        raise NotConvertible("line contains NUL")
    if len(printed) > MAX_CELL_CHARACTERS:
        raise NotConvertible(_CELL_TOO_LONG)
    return printed


def _names(row: list[Cell]) -> list[str]:
    """Return the first names in a row: at most MAX_COLUMNS + 1 that are not blank, among MAX_PLACES."""
    row = row[:MAX_PLACES]
    places = [place for place, cell in enumerate(row) if clean(cell)]
    named = row[: places[MAX_COLUMNS] + 1] if len(places) > MAX_COLUMNS else row
    return [", ".join(name) if isinstance(name, list) else name or "" for name in named]


def _below(last: int, rows: Iterable[tuple[int, list[Cell]]]) -> Iterator[list[Cell]]:
    """Yield the rows below row `last`, and blank ones between them."""
    for number, row in rows:
        if not any(map(clean, row)):
            continue
        if number - last - 1 > MAX_BLANK_ROWS:
            raise FarBelow(number, number - last - 1)
        for _ in range(last + 1, number):
            yield []
        yield row
        last = number
