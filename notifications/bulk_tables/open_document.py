"""Read the first visible sheet of an .ods file, with its values as text.

The format: OpenDocument 1.3, part 3, chapter 9. Source: docs/reference/bulk-sending.md §2.
"""

import re
import zipfile
from datetime import datetime, timedelta

from config.workbooks import open_document
from config.workbooks.open_document import OpenDocumentRows
from notifications.bulk_tables import number_formats
from notifications.bulk_tables.sheets import Sheet, printed_duration, printed_moment, printed_time, visible_rows
from notifications.bulk_tables.tables import Cell

_EXPONENT = re.compile(r"\d[eE][-+]?\d")
_HOURS_OF_A_DAY = 24
_MIDNIGHT = datetime(1, 1, 1)  # noqa: DTZ001  a time has no zone


def read(archive: zipfile.ZipFile) -> Sheet:
    """Return the sheet. Raises HasHiddenCells while rows are read, and exceptions of a broken file."""
    part = OpenDocumentRows(None, _printed)
    return Sheet(rows=visible_rows(open_document.rows(archive, part), part))


def _printed(attributes: dict[str, str], text: str) -> Cell:
    """Return the text of a cell. A number is printed as shown, unless the sheet shows an exponent or no number."""
    kind = attributes.get("value-type", "")
    if kind in open_document.NUMBERS:
        is_shown = text.strip("# ") and not _EXPONENT.search(text)
        return text if is_shown else number_formats.plain(float(attributes["value"]))
    if kind == "date":
        return _printed_date(attributes["date-value"], text)
    if kind == "time" and (seconds := open_document.duration_seconds(attributes["time-value"])) is not None:
        return _printed_time(timedelta(seconds=seconds), text)
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
