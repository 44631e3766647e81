"""Find a second table below the first one. Source: docs/reference/imports.md §4."""

from collections.abc import Sequence

from datasets.imports.reading import header
from datasets.imports.reading.cells import Cell, is_blank
from datasets.imports.reading.csv_rows import BrokenRow
from datasets.imports.reading.questions import Alternative, Json, question
from datasets.imports.reading.settings import MAX_ROWS
from datasets.imports.reading.sources import GridRow

_LEAST_NAMES = 2


class SecondTable:
    """Looks for a row that has the names of a second table: after a blank row, where the row above it has data.

    found: the number of the row and its cells, or None
    """

    def __init__(self) -> None:
        self.found: tuple[int, Sequence[Cell]] | None = None
        self._rows = 0  # of the second table, its names included
        self._last: GridRow | None = None

    def look(self, rows: Sequence[GridRow]) -> None:
        """Look at the next rows of the table. They are not blank."""
        above = self._last
        has_gap = above is not None and rows[-1][0] - above[0] > len(rows)
        if self.found is None and (has_gap or rows[-1][0] - rows[0][0] >= len(rows)):
            for place, row in enumerate(rows):
                if above is not None and row[0] - above[0] > 1 and _begins(row, above):
                    self.found = (row[0], row[1])
                    self._rows -= place
                    break
                above = row
        self._rows += len(rows) if self.found is not None else 0
        self._last = rows[-1]

    def questions(self) -> list[Json]:
        """Return the question which of the tables is imported, after the last row."""
        if self.found is None or self._rows == 1:  # names without rows are a note
            self.found = None
            return []
        number, cells = self.found
        message = f"Row {number} looks like the names of a second table: {header.shown(cells)}. What is imported?"
        choices = [
            Alternative(f"Only the table above row {number}", {"footer_rows": self._rows}),
            Alternative(f"Only the table from row {number} on", {"skip_rows": number - 1, "header_rows": 1}),
            Alternative("All rows, as one table", {"footer_rows": 0}),
        ]
        usable = [one for one in choices if all(value <= MAX_ROWS for value in one.settings.values())]
        return [question("header", message, usable)]


def _begins(row: GridRow, above: GridRow) -> bool:
    cells, others = row[1], above[1]
    if isinstance(cells, BrokenRow) or isinstance(others, BrokenRow):
        return False
    if sum(not is_blank(cell) for cell in cells) < _LEAST_NAMES or not header.are_names(cells):
        return False
    pairs = zip(cells, others, strict=False)
    return any(not is_blank(own) and not is_blank(other) and not header.is_name(other) for own, other in pairs)
