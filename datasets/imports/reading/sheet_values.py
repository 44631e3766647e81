"""The values of cells of spreadsheets, as the file stores them. Source: docs/reference/imports.md §5."""

import math
import re

from config.workbooks.excel_formats import parts_of_date
from datasets.imports.reading import forms
from datasets.imports.reading.cells import Bad, Cell, Unfit

MAX_DIGITS = 15  # that spreadsheets keep
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
    try:
        value = float(f"{float(text):.{MAX_DIGITS}g}")
    except ValueError:
        return Bad(text, "is not a number")
    if not math.isfinite(value):
        return Bad(text, "is not a number")
    return int(value) if value.is_integer() and abs(value) < 10**MAX_DIGITS else value


def kind_of_format(form: str) -> str:
    """Return whether a number format shows a `date`, a `time` or a plain number (``).

    >>> kind_of_format("dd.mm.yyyy"), kind_of_format("[h]:mm"), kind_of_format('0.00" days"')
    ('date', 'time', '')
    """
    letters = set(parts_of_date(form))
    if letters & {"y", "d"} or (letters & {"m"} and not letters & {"h", "s"}):
        return "date"
    return "time" if letters & {"h", "s"} else ""


def moment(text: str, kind: str, *, is_from_1904: bool) -> Cell:
    """Return the date or the time of day of a serial number."""
    try:
        serial = float(text)
    except ValueError:
        return Bad(text, "is not a date")
    if kind == "time" and 0 <= serial < 1:
        return clock(round(serial * 86_400))
    if kind == "time" and serial >= 1:  # a duration of a day and more
        return clock(round(serial * 86_400)) if serial < 10_000 else number(text)
    try:
        return forms.from_number(serial, "excel_1904" if is_from_1904 else "excel")
    except Unfit as error:
        return Bad(text, str(error))


def clock(seconds: int) -> str:
    """Return a time of day or a duration.

    >>> clock(32400), clock(93600)
    ('09:00:00', '26:00:00')
    """
    minutes, second = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
