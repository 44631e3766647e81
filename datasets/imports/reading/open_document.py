"""Read the sheets of an .ods file from their XML, a row at a time. The format: OpenDocument 1.3, part 3, chapter 9.

Source: docs/reference/imports.md §5.
"""

import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, time

from config.xml_archives import XmlElements
from datasets.imports.reading import sheet_values
from datasets.imports.reading.cells import Bad, Cell, CellMoment
from datasets.imports.reading.sheets import MAX_PLACES, MAX_ROWS, SheetPart, SheetRow

CONTENT = "content.xml"
_COVERED = "covered-table-cell"
_CELLS = {"table-cell", _COVERED}
_NUMBERS = {"float", "percentage", "currency", "percent"}
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?")
_ERROR = re.compile(r"#\S+|Err:\d+")
_WHITE_SPACE = re.compile(r"[ \t\r\n]+")  # several are one; others have elements


class OpenDocumentBook:
    """An opened spreadsheet. sheets: the names of its visible sheets, twice"""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.hidden_columns: set[int] = set()
        tables = _Tables()
        tables.read_whole(archive, CONTENT)
        self.sheets = [(name, name) for name in tables.visible]

    def rows(self, key: str) -> Iterator[SheetRow]:
        """Yield the rows of a sheet that have cells, with their numbers."""
        part = _OpenDocumentRows(key)
        self.hidden_columns = part.hidden_columns
        for _ in part.read(self._archive, CONTENT):
            for first, times in zip(part.found, part.times, strict=True):
                for number in range(first.number, first.number + times):
                    yield first._replace(number=number)
            part.found.clear()
            part.times.clear()
            if part.is_over:
                return


class _Tables(XmlElements):
    """The names of the visible tables."""

    def __init__(self) -> None:
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


class _OpenDocumentRows(SheetPart):
    """Collects the rows of one table."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.times: list[int] = []  # how often each row is repeated
        self.is_over = False
        self._name, self._tables = name, 0
        self._is_in_sheet = False
        self._number, self._repeats, self._is_hidden = 0, 1, False
        self._columns = 0
        self._cells: list[Cell] = []
        self._cell: dict[str, str] | None = None  # the attributes of the open cell
        self._paragraphs: list[str] = []
        self._depth = 0  # of elements inside the open cell
        self._is_text = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table" and self._cell is None:
            self._tables += 1
            self._is_in_sheet = not self.is_over and self._tables == 1 and attributes.get("name") == self._name
        elif self._is_in_sheet:
            self._start_in_sheet(name, attributes)

    def _start_in_sheet(self, name: str, attributes: dict[str, str]) -> None:
        if self._cell is not None:
            self._depth += 1
            if self._depth == 1:
                self._is_text = name == "p"  # notes, shapes and charts have paragraphs of their own
                self._paragraphs += [""] * self._is_text
            elif self._is_text and name in _SPACES:
                self._paragraphs[-1] += _SPACES[name] * min(int(attributes.get("c", 1)), MAX_PLACES)
        elif name == "table-column":
            times = min(int(attributes.get("number-columns-repeated", 1)), MAX_PLACES - self._columns)
            if attributes.get("visibility", "visible") != "visible":
                self.hidden_columns.update(range(self._columns, self._columns + times))
            self._columns += times
        elif name == "table-row":
            self._cells, self._repeats = [], int(attributes.get("number-rows-repeated", 1))
            self._is_hidden = attributes.get("visibility", "visible") != "visible"
        elif name in _CELLS:
            self._cell, self._paragraphs, self._depth, self._is_text = attributes, [], 0, False

    def text(self, text: str) -> None:
        if self._is_text and self._depth:
            self._paragraphs[-1] += _WHITE_SPACE.sub(" ", text)

    def end(self, name: str) -> None:
        if name == "table" and self._cell is None:
            self._tables -= 1
            self.is_over |= self._is_in_sheet
            self._is_in_sheet = False
        elif not self._is_in_sheet:
            return
        elif self._cell is not None and self._depth:
            self._depth -= 1
        elif name in _CELLS and self._cell is not None:
            times = min(int(self._cell.get("number-columns-repeated", 1)), MAX_PLACES - len(self._cells))
            value = None if name == _COVERED else _value(self._cell, "\n".join(self._paragraphs))
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


def _value(attributes: dict[str, str], text: str) -> Cell:
    kind = attributes.get("value-type", "")
    has_formula = "formula" in attributes
    if kind == "error" or (has_formula and _ERROR.fullmatch(text.strip())):
        return Bad(text, f"is the error {text}")
    if not kind:
        return sheet_values.NO_RESULT if has_formula and not text else text or None
    if kind in _NUMBERS:
        return sheet_values.number(attributes["value"]) if "value" in attributes else Bad(text, "is not a number")
    if kind == "date":
        return _date(attributes.get("date-value", ""), text)
    if kind == "time" and (found := _DURATION.fullmatch(attributes.get("time-value", ""))):
        hours, minutes, seconds = (int(part or 0) for part in found.groups())
        return sheet_values.clock(hours * 3600 + minutes * 60 + seconds)
    if kind == "boolean":
        return attributes.get("boolean-value") == "true"
    return attributes.get("string-value", text) or None


def _date(value: str, text: str) -> Cell:
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return Bad(text or value, "is not a real date")
    fraction = f"{at.microsecond:06}".rstrip("0")
    return CellMoment(at.replace(tzinfo=None, microsecond=0), "T" in value and at.time() != time(), fraction)
