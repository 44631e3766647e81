"""The rows of a file of any format: cells by position, or fields by name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from config.workbooks.sheets import SheetRow
from config.xml_archives import BROKEN
from datasets.imports.reading import csv_rows, json_rows, opening, parquet_rows
from datasets.imports.reading.books import open_book
from datasets.imports.reading.cells import Cell, UnreadableFile, is_blank
from datasets.imports.reading.csv_rows import BrokenRow
from datasets.imports.reading.sheets import Book

MAX_CELLS = 50_000_000  # of a sheet, repeated ones counted: a file of 2 kB may claim 17 billion
GRIDS = frozenset({"csv", "xlsx", "ods"})
GridRow = tuple[int, list[Cell] | BrokenRow]
FieldsRow = tuple[int, dict[str, Cell] | BrokenRow]


@dataclass(frozen=True, slots=True)
class SheetFile:
    """An opened spreadsheet."""

    book: Book

    def rows(self, name: str, *, without_hidden: bool) -> Iterator[GridRow]:
        """Yield the rows of a sheet. Raises UnreadableFile."""
        for row in self.all_rows(name):
            hidden = self.book.hidden_columns
            if not without_hidden:
                yield row.number, row.cells
            elif not row.is_hidden:
                yield row.number, [None if place in hidden else cell for place, cell in enumerate(row.cells)]

    def all_rows(self, name: str) -> Iterator[SheetRow]:
        """Yield the rows of a sheet with what is known of them. Raises UnreadableFile."""
        cells = 0
        try:
            for row in self.book.rows(dict(self.book.sheets)[name]):
                cells += len(row.cells)
                if cells > MAX_CELLS:
                    raise UnreadableFile(f"The sheet has more than {MAX_CELLS:,} cells. Split it, or save it as CSV.")
                yield row
        except BROKEN as error:
            raise UnreadableFile(
                "The spreadsheet is damaged. Open it in a spreadsheet program and save it again."
            ) from error

    def with_values(self) -> list[str]:
        """Return the names of the visible sheets that hold a value. Raises UnreadableFile."""
        return [
            name
            for name, _ in self.book.sheets
            if any(not is_blank(cell) for row in self.all_rows(name) for cell in row.cells)
        ]


def open_sheet_file(file: BinaryIO, kind: str) -> SheetFile:
    """Raises UnreadableFile."""
    archive = opening.open_sheets(file)
    try:
        return SheetFile(open_book(archive, kind))
    except BROKEN as error:
        raise UnreadableFile(
            f"The file is not a valid .{kind} file. Open it in a spreadsheet program and save it again."
        ) from error


_FIELDS: dict[str, Callable[[str], Iterator[FieldsRow]]] = {
    "ndjson": json_rows.lines,
    "json": json_rows.array,
    "mongoexport": json_rows.exported,
    "parquet": parquet_rows.rows,
}


def fields(path: str, kind: str) -> Iterator[FieldsRow]:
    """Yield the rows of a file whose values have names. Raises UnreadableFile."""
    return _FIELDS[kind](path)


def csv(path: str, *, encoding: str, delimiter: str) -> Iterator[GridRow]:
    return csv_rows.rows(path, encoding=encoding, delimiter=delimiter)
