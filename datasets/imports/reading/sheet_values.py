"""The values of cells of spreadsheets, as the file stores them. Source: docs/reference/imports.md §5."""

import math
import re
from datetime import UTC, datetime, time

from config.workbooks.excel_formats import parts_of_date
from datasets.imports.reading import forms
from datasets.imports.reading.cells import Bad, Cell, CellMoment, Unfit

MAX_DIGITS = 15  # that spreadsheets keep
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)  # float() takes 1_0 and ٥, too
_WHOLE = re.compile(r"-?\d+", re.ASCII)
NO_RESULT = Bad("", "is a formula without a stored result: open and save the file in a spreadsheet program")


def number(text: str) -> Cell:
    """Return the number of a cell to 15 digits. A whole number of more digits is Bad, because its end is not certain.

    >>> number("0.30000000000000004"), number("5"), number("9007199254740993").shown
    (0.3, 5, '9007199254740993')
    """
    if _WHOLE.fullmatch(text):
        if len(text.lstrip("-0").rstrip("0")) > MAX_DIGITS:
            return Bad(text, "has more than 15 digits, and spreadsheets do not keep these exactly")
        if len(text) <= MAX_DIGITS + 1:
            return int(text)
    if _NUMBER.fullmatch(text) is None:
        return Bad(text, "is not a number")
    value = float(f"{float(text):.{MAX_DIGITS}g}")
    if not math.isfinite(value):
        return Bad(text, "is not a number")
    return int(value) if value.is_integer() and abs(value) < 10**MAX_DIGITS else value


def kind_of_format(form: str) -> str:
    """Return whether a number format shows a `date`, a `time` or a plain number (``).

    >>> kind_of_format("dd.mm.yyyy"), kind_of_format("[mm]"), kind_of_format('0.00" days"')
    ('date', 'time', '')
    """
    letters = set(parts_of_date(form))
    if "[" in letters:  # a duration
        return "time"
    if letters & {"y", "d"} or (letters & {"m"} and not letters & {"h", "s"}):
        return "date"
    return "time" if letters & {"h", "s"} else ""


def moment(text: str, kind: str, *, is_from_1904: bool) -> Cell:
    """Return the date or the time of day of a serial number."""
    if _NUMBER.fullmatch(text) is None:
        return Bad(text, "is not a date")
    serial = float(text)
    if kind == "time" and 0 <= serial < 1:
        return clock(round(serial * 86_400))
    if kind == "time" and serial >= 1:  # a duration of a day and more
        return clock(round(serial * 86_400)) if serial < 10_000 else number(text)
    try:
        return forms.from_number(serial, "excel_1904" if is_from_1904 else "excel")
    except Unfit as error:
        return Bad(text, str(error))


def written_date(text: str) -> CellMoment:
    """Return a date or a time that the file has as a text. Raises ValueError.

    >>> written_date("2024-01-31T09:30:00+02:00").at.isoformat(), written_date("2024-01-31").text
    ('2024-01-31T07:30:00+00:00', '2024-01-31')
    """
    given = datetime.fromisoformat(text)
    at = given if given.tzinfo is None else given.astimezone(UTC)
    has_time = "T" in text and (given.time() != time() or given.tzinfo is not None)
    return CellMoment(at.replace(microsecond=0), has_time, f"{at.microsecond:06}".rstrip("0"))


def clock(seconds: int) -> str:
    """Return a time of day or a duration.

    >>> clock(32400), clock(93600)
    ('09:00:00', '26:00:00')
    """
    minutes, second = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
