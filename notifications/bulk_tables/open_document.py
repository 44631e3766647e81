"""Read the first visible sheet of an .ods file, a row at a time.

Libraries for this format build the whole sheet in memory, as large as the file says it is: one cell may repeat a
million times. The format: OpenDocument 1.3, part 3, chapter 9. Source: docs/reference/bulk-sending.md §2.
"""

import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, time, timedelta

from notifications.bulk_tables import number_formats
from notifications.bulk_tables.archives import Elements
from notifications.bulk_tables.sheets import (
    MAX_ROWS,
    HasHiddenCells,
    Sheet,
    printed_duration,
    printed_moment,
    printed_time,
    without_blank_end,
)
from notifications.bulk_tables.tables import MAX_PLACES, Cell

CONTENT = "content.xml"

_CELLS = {"table-cell", "covered-table-cell"}
_NUMBERS = {"float", "percentage", "currency"}
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?")


def read(archive: zipfile.ZipFile) -> Sheet:
    """Return the sheet. Raises HasHiddenCells while rows are read, and exceptions of a broken file."""
    return Sheet(rows=_rows(archive))


def _rows(archive: zipfile.ZipFile) -> Iterator[tuple[int, list[Cell]]]:
    content, last = _Content(), 0
    for _ in content.read(archive, CONTENT):
        for cells, times in content.rows:
            end = min(last + times, MAX_ROWS)
            for number in range(last + 1, end + 1) if any(cells) else ():
                yield number, cells
            last = end
        content.rows.clear()


class _Content(Elements):
    """Collects the rows of the first visible sheet: their cells, and how often the row repeats."""

    def __init__(self) -> None:
        self.rows: list[tuple[list[Cell], int]] = []
        self._style = ""
        self._hidden_styles: set[str] = set()
        self._tables_passed = 0
        self._is_in_sheet = False
        self._row: list[Cell] = []
        self._row_repeats = 1
        self._cell: dict[str, str] | None = None  # the attributes of the open cell
        self._paragraphs: list[str] = []
        self._notes_open = 0  # a note has paragraphs of its own

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            self._style = attributes.get("name", "")
        elif name == "table-properties" and attributes.get("display") == "false":
            self._hidden_styles.add(self._style)
        elif name == "table":
            self._is_in_sheet = not self._tables_passed and attributes.get("style-name") not in self._hidden_styles
            self._tables_passed += self._is_in_sheet
        elif self._is_in_sheet:
            self._start_in_sheet(name, attributes)

    def _start_in_sheet(self, name: str, attributes: dict[str, str]) -> None:
        if name in {"table-row", "table-column"} and attributes.get("visibility", "visible") != "visible":
            raise HasHiddenCells
        if name == "table-row":
            self._row, self._row_repeats = [], int(attributes.get("number-rows-repeated", 1))
        elif name in _CELLS:
            self._cell, self._paragraphs = attributes, []
        elif name == "annotation":
            self._notes_open += 1
        elif self._is_text and name == "p":
            self._paragraphs.append("")
        elif self._is_text and name in _SPACES and self._paragraphs:
            self._paragraphs[-1] += _SPACES[name] * min(int(attributes.get("c", 1)), MAX_PLACES)

    def text(self, text: str) -> None:
        if self._is_text and self._paragraphs:
            self._paragraphs[-1] += text

    def end(self, name: str) -> None:
        if not self._is_in_sheet:
            return
        if name == "annotation":
            self._notes_open -= 1
        elif name in _CELLS and self._cell is not None:
            times = min(int(self._cell.get("number-columns-repeated", 1)), MAX_PLACES - len(self._row))
            self._row += [_printed(self._cell, "\n".join(self._paragraphs))] * times
            self._cell = None
        elif name == "table-row":
            self.rows.append((without_blank_end(self._row), self._row_repeats))
        elif name == "table":
            self._is_in_sheet = False

    @property
    def _is_text(self) -> bool:
        return self._cell is not None and not self._notes_open


def _printed(attributes: dict[str, str], text: str) -> Cell:
    """Return the text of a cell. A number is printed as shown, unless the sheet shows it with an exponent."""
    kind = attributes.get("value-type", "")
    if kind in _NUMBERS:
        return (
            text if text and "E" not in text and "#" not in text else number_formats.plain(float(attributes["value"]))
        )
    if kind == "date":
        return printed_moment(datetime.fromisoformat(attributes["date-value"]))
    if kind == "time" and (found := _DURATION.fullmatch(attributes["time-value"])):
        hours, minutes, seconds = (int(part or 0) for part in found.groups())
        if hours < 24:
            return printed_time(time(hours, minutes, seconds))
        return printed_duration(timedelta(hours=hours, minutes=minutes, seconds=seconds))
    if kind == "boolean":
        return str(attributes["boolean-value"] == "true")
    return attributes.get("string-value", text) or None
