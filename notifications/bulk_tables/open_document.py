"""Read the first visible sheet of an .ods file, a row at a time.

Libraries for this format build the whole sheet in memory, as large as the file says it is: one cell may repeat a
million times. The format: OpenDocument 1.3, part 3, chapter 9. Source: docs/reference/bulk-sending.md §2.
"""

import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta

from config.xml_archives import XmlElements
from notifications.bulk_tables import number_formats
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

_COVERED = "covered-table-cell"
_CELLS = {"table-cell", _COVERED}
_NUMBERS = {"float", "percentage", "currency"}
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?")
_EXPONENT = re.compile(r"\d[eE][-+]?\d")
_HOURS_OF_A_DAY = 24
_MIDNIGHT = datetime(1, 1, 1)  # noqa: DTZ001  a time has no zone
_WHITE_SPACE = re.compile(r"[ \t\r\n]+")  # several are one; others have elements


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


class _Content(XmlElements):
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
        self._depth = 0  # of elements inside the open cell
        self._is_text = False

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
        if self._cell is not None:
            self._depth += 1
            if self._depth == 1:
                self._is_text = name == "p"  # notes, shapes and charts have paragraphs of their own
                self._paragraphs += [""] * self._is_text
            elif self._is_text and name in _SPACES:
                self._paragraphs[-1] += _SPACES[name] * min(int(attributes.get("c", 1)), MAX_PLACES)
        elif name in {"table-row", "table-column"} and attributes.get("visibility", "visible") != "visible":
            raise HasHiddenCells
        elif name == "table-row":
            self._row, self._row_repeats = [], int(attributes.get("number-rows-repeated", 1))
        elif name in _CELLS:
            self._cell, self._paragraphs, self._depth, self._is_text = attributes, [], 0, False

    def text(self, text: str) -> None:
        if self._is_text and self._depth:
            self._paragraphs[-1] += _WHITE_SPACE.sub(" ", text)

    def end(self, name: str) -> None:
        if not self._is_in_sheet:
            return
        if self._cell is not None and self._depth:
            self._depth -= 1
        elif name in _CELLS and self._cell is not None:
            times = min(int(self._cell.get("number-columns-repeated", 1)), MAX_PLACES - len(self._row))
            is_shown = name != _COVERED  # by a merged cell
            self._row += [_printed(self._cell, "\n".join(self._paragraphs)) if is_shown else None] * times
            self._cell = None
        elif name == "table-row":
            self.rows.append((without_blank_end(self._row), self._row_repeats))
        elif name == "table":
            self._is_in_sheet = False


def _printed(attributes: dict[str, str], text: str) -> Cell:
    """Return the text of a cell. A number is printed as shown, unless the sheet shows an exponent or no number."""
    kind = attributes.get("value-type", "")
    if kind in _NUMBERS:
        is_shown = text.strip("# ") and not _EXPONENT.search(text)
        return text if is_shown else number_formats.plain(float(attributes["value"]))
    if kind == "date":
        return _printed_date(attributes["date-value"], text)
    if kind == "time" and (found := _DURATION.fullmatch(attributes["time-value"])):
        hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in found.groups())
        return _printed_time(timedelta(hours=hours, minutes=minutes, seconds=round(seconds)), text)
    if kind == "boolean":
        return str(attributes["boolean-value"] == "true")
    return attributes.get("string-value", text) or None


def _printed_date(value: str, text: str) -> str:
    """Return a date as always, or as shown if its year is before 1 or after 9999."""
    try:
        moment = datetime.fromisoformat(value)
        return printed_moment((moment + timedelta(microseconds=500_000)).replace(microsecond=0))
    except (ValueError, OverflowError):
        return text or value


def _printed_time(value: timedelta, text: str) -> str:
    """Return the time of day, or the duration if the text shows a day's hours and more."""
    hours = value // timedelta(hours=1)
    if hours >= _HOURS_OF_A_DAY and (not text or text.startswith(str(hours))):
        return printed_duration(value)
    return printed_time((_MIDNIGHT + value % timedelta(days=1)).time())
