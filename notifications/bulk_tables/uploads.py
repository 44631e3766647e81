"""Read an uploaded file, or cells pasted from a spreadsheet, as a table.

Source: docs/reference/bulk-sending.md §2.
"""

import codecs
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import BinaryIO

from config.spreadsheets import without_apostrophe
from notifications.bulk_tables import spreadsheets, tables
from notifications.bulk_tables.archives import NotASpreadsheet
from notifications.bulk_tables.columns import RECIPIENT_COLUMNS
from notifications.bulk_tables.tables import Cell, Table, UnreadableTable
from notifications.rendering.placeholders import key

DELIMITERS = (",", "\t", ";")  # the first that gives an expected column, else the first

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
    PASTED = "pasted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An uploaded file as a table.

    unformatted: the positions of columns with numbers whose format is not known, complete after the last row
    """

    table: Table
    read_as: ReadAs
    unformatted: Collection[int] = field(default_factory=set)


def from_file(file: BinaryIO, *, expected: Collection[str] = RECIPIENT_COLUMNS) -> Upload:
    """Read a CSV file in any of the DELIMITERS, or an .xlsx, .xlsm or .ods file.

    expected: names of columns, one of which the table should have; they show the delimiter

    Raises Unreadable and its subclasses, some only while rows are read.
    """
    file.seek(0)
    if spreadsheets.is_archive(file.read(2)):
        sheet = spreadsheets.read(file)
        rows = ((number, _without_apostrophes(row)) for number, row in sheet.rows)
        table = tables.from_numbered_rows(rows)
        return Upload(table=table, read_as=ReadAs.SPREADSHEET, unformatted=sheet.unformatted)
    file.seek(0)
    text, read_as = _decoded(file.read())
    if "\0" in text or text.startswith("%PDF-"):
        raise NotASpreadsheet
    return Upload(table=from_pasted(text, expected=expected), read_as=read_as)


def from_pasted_file(file: BinaryIO, *, expected: Collection[str] = RECIPIENT_COLUMNS) -> Upload:
    """Read cells that a person pasted and that are stored as UTF-8. Raises as `from_pasted` does."""
    file.seek(0)
    return Upload(table=from_pasted(file.read().decode(), expected=expected), read_as=ReadAs.PASTED)


def from_pasted(text: str, *, expected: Collection[str] = RECIPIENT_COLUMNS) -> Table:
    """Read cells pasted from a spreadsheet, or the text of a CSV file in any of the DELIMITERS.

    Raises Unreadable and its subclasses, some only while rows are read.

    >>> from_pasted("phone number\\tname\\n07700 900 123\\tAnn").names
    ['phone number', 'name']
    """
    table = tables.from_csv(text, delimiter=_delimiter(text, {key(name) for name in expected}))
    return Table(
        names=[without_apostrophe(name) for name in table.names],
        rows=map(_without_apostrophes, table.rows),
    )


def _delimiter(text: str, expected: set[str]) -> str:
    # Read with commas, a tab before the first name would be ignored as white space.
    begins_with_tab = text.lstrip("\r\n ").startswith("\t")
    for delimiter in sorted(DELIMITERS, key=lambda each: each != "\t") if begins_with_tab else DELIMITERS:
        try:
            names = tables.from_csv(text, delimiter=delimiter).names
        except UnreadableTable:
            continue
        if any(key(without_apostrophe(name)) in expected for name in names):
            return delimiter
    return DELIMITERS[0]


def _without_apostrophes(row: list[Cell]) -> list[Cell]:
    """Remove the apostrophes that downloads have before a formula sign."""
    return [without_apostrophe(cell) if isinstance(cell, str) else cell for cell in row]


def _decoded(data: bytes) -> tuple[str, ReadAs]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding), ReadAs(encoding.removesuffix("-sig"))
            except UnicodeDecodeError as error:
                raise NotASpreadsheet from error
    for read_as in (ReadAs.UTF_8, ReadAs.WINDOWS_1252):
        try:
            return data.decode(read_as), read_as
        except UnicodeDecodeError:
            continue
    raise NotASpreadsheet
