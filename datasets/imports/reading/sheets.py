"""The rows of a sheet, and the choice of a sheet. Source: docs/reference/imports.md §4, §5."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from config.xml_archives import XmlElements
from datasets.imports.reading.cells import Cell

MAX_PLACES = 16_384  # columns of a sheet
MAX_ROWS = 1_048_576


class SheetRow(NamedTuple):
    number: int
    cells: list[Cell]
    is_hidden: bool


class SheetPart(XmlElements):
    """A part that collects rows while it is read. hidden_columns: their positions, from 0"""

    def __init__(self) -> None:
        self.found: list[SheetRow] = []
        self.hidden_columns: set[int] = set()


class Book(Protocol):
    """An opened spreadsheet.

    sheets: names and keys of its visible sheets; hidden_columns: positions, of the sheet that is read
    """

    sheets: list[tuple[str, str]]
    hidden_columns: set[int]

    def rows(self, key: str) -> Iterator[SheetRow]: ...
