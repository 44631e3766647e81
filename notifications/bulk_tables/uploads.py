"""Read an uploaded file, or cells pasted from a spreadsheet, as a table.

Source: docs/reference/bulk-sending.md §2.
"""

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from config.spreadsheets import without_apostrophe
from notifications.bulk_tables import spreadsheets, tables
from notifications.bulk_tables.columns import is_recipient_column
from notifications.bulk_tables.tables import Cell, Table, Unreadable

DELIMITERS = (",", "\t", ";")  # the first that gives an expected column, else the first

IsExpected = Callable[[str], bool]

_BYTE_ORDER_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class ReadAs(StrEnum):
    """How an uploaded file was read. The console shows a notice for Windows-1252, which is a guess."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"
    WINDOWS_1252 = "windows-1252"
    SPREADSHEET = "spreadsheet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An uploaded file as a table."""

    table: Table
    read_as: ReadAs


def from_file(data: bytes, *, is_expected: IsExpected = is_recipient_column) -> Upload:
    """Read a CSV file in any of the DELIMITERS, or an .xlsx or .ods file.

    is_expected: whether the table should have a column of this name, which shows the delimiter

    Raises Unreadable and its subclasses, some only while rows are read.
    """
    if spreadsheets.is_archive(data):
        rows = spreadsheets.rows(data)
        return Upload(table=tables.from_rows(_without_apostrophes(rows)), read_as=ReadAs.SPREADSHEET)
    text, read_as = _decoded(data)
    if "\0" in text or text.startswith("%PDF-"):
        raise spreadsheets.NotASpreadsheet
    return Upload(table=from_pasted(text, is_expected=is_expected), read_as=read_as)


def from_pasted(text: str, *, is_expected: IsExpected = is_recipient_column) -> Table:
    """Read cells pasted from a spreadsheet, or the text of a CSV file in any of the DELIMITERS.

    Raises Unreadable and its subclasses, some only while rows are read.

    >>> from_pasted("phone number\\tname\\n07700 900 123\\tAnn").names
    ['phone number', 'name']
    """
    table = tables.from_csv(text, delimiter=_delimiter(text, is_expected))
    return Table(
        names=[without_apostrophe(name) for name in table.names],
        rows=_without_apostrophes(table.rows),
    )


def _delimiter(text: str, is_expected: IsExpected) -> str:
    # Read with commas, a tab before the first name would be ignored as white space.
    begins_with_tab = text.lstrip("\r\n ").startswith("\t")
    for delimiter in sorted(DELIMITERS, key=lambda each: each != "\t") if begins_with_tab else DELIMITERS:
        try:
            names = tables.from_csv(text, delimiter=delimiter).names
        except Unreadable:
            continue
        if any(is_expected(without_apostrophe(name)) for name in names):
            return delimiter
    return DELIMITERS[0]


def _without_apostrophes(rows: Iterator[list[Cell]]) -> Iterator[list[Cell]]:
    """Remove the apostrophe that downloads have before a formula sign."""
    for row in rows:
        yield [without_apostrophe(cell) if isinstance(cell, str) else cell for cell in row]


def _decoded(data: bytes) -> tuple[str, ReadAs]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding), ReadAs(encoding.removesuffix("-sig"))
            except UnicodeDecodeError as error:
                raise spreadsheets.NotASpreadsheet from error
    for read_as in (ReadAs.UTF_8, ReadAs.WINDOWS_1252):
        try:
            return data.decode(read_as), read_as
        except UnicodeDecodeError:
            continue
    raise spreadsheets.NotASpreadsheet
