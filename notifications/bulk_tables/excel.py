"""Read the first visible sheet of an .xlsx or .xlsm file, with its values as text.

The format: ISO/IEC 29500-1, clauses 18.4 and 18.8. Source: docs/reference/bulk-sending.md §2.
"""

import zipfile
from datetime import datetime, time, timedelta

from config.workbooks import excel
from config.workbooks.excel import ExcelBook, ExcelCell, ExcelRows
from config.workbooks.excel_formats import GENERAL, parts_of_date
from notifications.bulk_tables import number_formats
from notifications.bulk_tables.archives import NotASpreadsheet
from notifications.bulk_tables.sheets import Sheet, printed_duration, printed_moment, printed_time, visible_rows
from notifications.bulk_tables.tables import Cell

_ARCHIVE_LINKS = "_rels/.rels"
_DAYS_OF_ALL_YEARS = 2_957_003  # to the year 9999, also from 1904
_LAST_WITHOUT_LEAP_DAY = 60  # Excel counts a 29 February 1900, so earlier days are one later


def has_workbook(archive: zipfile.ZipFile) -> bool:
    return _ARCHIVE_LINKS in archive.namelist()


def read(archive: zipfile.ZipFile) -> Sheet:
    """Return the sheet. Raises NotASpreadsheet and exceptions of a broken file, and HasHiddenCells with its rows."""
    book = ExcelBook(archive)
    if not book.sheets:
        raise NotASpreadsheet
    values = _PrintedValues(book)
    part = ExcelRows(values.printed)
    return Sheet(rows=visible_rows(book.rows(book.sheets[0][1], part), part), unformatted=values.unformatted)


class _PrintedValues:
    """Prints values. unformatted: the positions of numbers whose format is not known"""

    def __init__(self, book: ExcelBook) -> None:
        self.unformatted: set[int] = set()
        self._book = book
        self._first_day = datetime(1904, 1, 1) if book.is_from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001  no zone

    def printed(self, cell: ExcelCell) -> Cell:
        """Return the text of a cell. Raises LookupError, ValueError."""
        text = cell.text
        if not text:
            return None
        match cell.attributes.get("t", "n"):
            case "s":
                return self._book.texts[int(text)]
            case "n":
                return self._number(text, self._form(cell), cell.place)
            case "b":
                return str(text.strip() in excel.YES)
            case "d":
                return _iso_moment(text, parts_of_date(self._form(cell) or ""))
        return excel.unescaped(text)

    def _form(self, cell: ExcelCell) -> str | None:
        style = cell.attributes.get("s", "")
        return self._book.formats[int(style)] if style and self._book.formats else GENERAL

    def _number(self, text: str, form: str | None, place: int) -> str:
        value = float(text) if not text.isdecimal() else int(text)
        parts = parts_of_date(form) if form else ""
        shown = self._moment(float(value), parts) if parts else number_formats.shown(value, form) if form else None
        if shown is None:
            self.unformatted.add(place)
        return number_formats.plain(value) if shown is None else shown

    def _moment(self, days: float, parts: str) -> str | None:
        """Return the date, the time or both, as the format shows. None: a sheet shows no date for this number"""
        if "[" in parts:
            return printed_duration(timedelta(days=days))
        if not 0 <= days < _DAYS_OF_ALL_YEARS:
            return None
        if not self._book.is_from_1904 and days < _LAST_WITHOUT_LEAP_DAY:
            days += days >= 1
        return _printed(self._first_day + timedelta(seconds=round(days * 86_400)), parts)


def _iso_moment(text: str, parts: str) -> str:
    """Return a date, time or both that a strict file writes in the form of ISO 8601. Raises ValueError."""
    if "-" not in text:
        return printed_time(time.fromisoformat(text))
    return _printed(datetime.fromisoformat(text), parts)


def _printed(moment: datetime, parts: str) -> str:
    """Return the date, the time or both. parts: the letters of the format, if there is one"""
    has_date, has_time = not set("yd").isdisjoint(parts), not set("hs").isdisjoint(parts)
    if has_time and not has_date:
        return printed_time(moment.time())
    return printed_moment(moment if has_time or not parts else datetime.combine(moment, time()))
