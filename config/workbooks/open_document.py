"""Read the sheets of an .ods file from their XML, a row at a time. The format: OpenDocument 1.3, part 3, chapter 9.

Libraries for this format build the whole sheet in memory, as large as the file says it is: one cell may repeat a
million times.
"""

import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from config.workbooks.sheets import MAX_PLACES, MAX_ROWS, SheetPart, SheetRow

CONTENT = "content.xml"
NUMBERS = {"float", "percentage", "currency", "percent"}  # kinds of values
_COVERED = "covered-table-cell"  # by a merged cell
_CELLS = {"table-cell", _COVERED}
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?")
_WHITE_SPACE = re.compile(r"[ \t\r\n]+")  # several are one; others have elements


def duration_seconds(text: str) -> int | None:
    """Return the seconds of a time of day or a duration, or None if the text is neither.

    >>> duration_seconds("PT09H05M00S"), duration_seconds("PT8H59M59.9999S"), duration_seconds("9:05")
    (32700, 32400, None)
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in found.groups())
    return round(hours * 3600 + minutes * 60 + seconds)


def visible_tables(archive: zipfile.ZipFile) -> list[str]:
    """Return the names of the visible sheets, in their order."""
    part = _Tables()
    part.read_whole(archive, CONTENT)
    return part.visible


def rows(archive: zipfile.ZipFile, part: "OpenDocumentRows") -> Iterator[SheetRow]:
    """Yield the rows of a sheet that have values. A repeated row comes as often as it is repeated."""
    for _ in part.read(archive, CONTENT):
        for first, times in zip(part.found, part.times, strict=True):
            for number in range(first.number, first.number + times):
                yield first._replace(number=number)
        part.found.clear()
        part.times.clear()
        if part.is_over:
            return


class _Tables(SheetPart):
    """The names of the visible tables. A table may stand inside a cell of another."""

    def __init__(self) -> None:
        super().__init__()
        self.visible: list[str] = []
        self._style, self._hidden_styles, self._depth = "", set[str](), 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            self._style = attributes.get("name", "")
        elif name == "table-properties" and attributes.get("display") == "false":
            self._hidden_styles.add(self._style)
        elif name == "table":
            self._depth += 1
            if self._depth == 1 and attributes.get("style-name") not in self._hidden_styles:
                self.visible.append(attributes.get("name", ""))

    def end(self, name: str) -> None:
        self._depth -= name == "table"


class OpenDocumentRows(_Tables):
    """Collects the rows of one table.

    name: of a visible table, or None for the first one; value: returns the value of a cell by its attributes and its
    text, or None if it has none; times: how often each row is repeated
    """

    def __init__(self, name: str | None, value: Callable[[dict[str, str], str], Any]) -> None:  # Any: as in SheetRow
        super().__init__()
        self.times: list[int] = []
        self.is_over = False
        self._name, self._value = name, value
        self._is_in_sheet = False
        self._number, self._repeats, self._is_hidden = 0, 1, False
        self._columns = 0
        self._cells: list[Any] = []
        self._cell: dict[str, str] | None = None  # the attributes of the open cell
        self._paragraphs: list[str] = []
        self._depth_in_cell = 0
        self._is_text = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._cell is None and (name == "table" or not self._is_in_sheet):
            known = len(self.visible)
            super().start(name, attributes)
            if len(self.visible) > known and not self.is_over:
                self._is_in_sheet = self._name in {None, self.visible[-1]}
        elif self._depth == 1:  # not of a table in a shape
            self._start_in_sheet(name, attributes)

    def _start_in_sheet(self, name: str, attributes: dict[str, str]) -> None:
        if self._cell is not None:
            self._depth_in_cell += 1
            if self._depth_in_cell == 1:
                self._is_text = name == "p"  # notes, shapes and charts have paragraphs of their own
                self._paragraphs += [""] * self._is_text
            elif self._is_text and name in _SPACES:
                self._paragraphs[-1] += _SPACES[name] * min(int(attributes.get("c", 1)), MAX_PLACES)
        elif name == "table-column":
            times = min(int(attributes.get("number-columns-repeated", 1)), MAX_PLACES - self._columns)
            if _is_hidden(attributes):
                self.hides = True
                self.hidden_columns.update(range(self._columns, self._columns + times))
            self._columns += times
        elif name == "table-row":
            self._cells, self._repeats = [], int(attributes.get("number-rows-repeated", 1))
            self._is_hidden = _is_hidden(attributes)
            self.hides |= self._is_hidden
        elif name in _CELLS:
            self._cell, self._paragraphs, self._depth_in_cell, self._is_text = attributes, [], 0, False

    def text(self, text: str) -> None:
        if self._is_text and self._depth_in_cell:
            self._paragraphs[-1] += _WHITE_SPACE.sub(" ", text)

    def end(self, name: str) -> None:
        if self._cell is not None and self._depth_in_cell:
            self._depth_in_cell -= 1
        elif name == "table" or not self._is_in_sheet:
            super().end(name)
            self.is_over |= self._is_in_sheet and not self._depth
            self._is_in_sheet &= not self.is_over
        elif self._depth > 1:
            pass
        elif name in _CELLS and self._cell is not None:
            times = min(int(self._cell.get("number-columns-repeated", 1)), MAX_PLACES - len(self._cells))
            self.note_merged(
                len(self._cells), self._number + 1, self._number + int(self._cell.get("number-rows-spanned", 1))
            )
            value = None if name == _COVERED else self._value(self._cell, "\n".join(self._paragraphs))
            self._cells += [value] * times
            self._cell = None
        elif name == "table-row":
            self._end_row()

    def _end_row(self) -> None:
        while self._cells and self._cells[-1] is None:
            self._cells.pop()
        end = min(self._number + self._repeats, MAX_ROWS)
        if self._cells and end > self._number:
            self.found.append(SheetRow(self._number + 1, self._cells, self._is_hidden))
            self.times.append(end - self._number)
        self._number = end


def _is_hidden(attributes: dict[str, str]) -> bool:
    return attributes.get("visibility", "visible") != "visible"
