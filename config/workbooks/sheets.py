"""The rows of a sheet, and the part of a spreadsheet that holds them."""

from typing import Any, NamedTuple

from config.xml_archives import XmlElements

MAX_PLACES = 16_384  # columns of a sheet
MAX_ROWS = 1_048_576


class SheetRow(NamedTuple):
    """A row with its number, from 1. cells: to the last one with a value; None is a cell without one"""

    number: int
    cells: list[Any]  # Any: each area has values of its own
    is_hidden: bool


class SheetPart(XmlElements):
    """A part that collects rows while it is read.

    hidden_columns: their positions, from 0; hides: whether a row or a column was hidden so far, also an empty one
    merged: the last merged cell of several rows in each column, by the position of the column: its first and last row
    """

    def __init__(self) -> None:
        self.found: list[SheetRow] = []
        self.hidden_columns: set[int] = set()
        self.hides = False
        self.merged: dict[int, tuple[int, int]] = {}

    def note_merged(self, place: int, first: int, last: int) -> None:
        if last > first and first > self.merged.get(place, (0, 0))[0]:
            self.merged[place] = (first, last)
