"""What a text looks like: a number, a date, a truth value. Source: docs/reference/imports.md §4."""

import re
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from datasets.imports.reading import date_forms, numbers
from datasets.imports.reading.cells import Unfit
from datasets.imports.reading.forms import iso


class TextShape(StrEnum):
    INTEGER = "integer"
    POINT = "decimal point"
    COMMA = "decimal comma"
    POINT_OR_GROUP = "1.234"
    COMMA_OR_GROUP = "1,234"
    BOOLEAN = "boolean"
    DATE = "ISO date"
    TIME = "ISO time"
    OTHER_DATE = "date of another form"
    TEXT = "text"


_INTEGER = re.compile(r"-?[1-9]\d*|0", re.ASCII)
_MARKED = re.compile(r"-?(?:0|[1-9]\d*)([.,])(\d+)", re.ASCII)
_EITHER = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
_COMMA_WITH_GROUPS = re.compile(r"-?[1-9]\d{0,2}(?:([. '\u00a0\u2009\u202f])\d{3}(?:\1\d{3})*),\d+", re.ASCII)
_LIKE_DATA = re.compile(r"[\d\s.,:/%€$£+*()'-]*\d[\d\s.,:/%€$£+*()'-]*")
MARKED = frozenset({TextShape.POINT, TextShape.COMMA, TextShape.POINT_OR_GROUP, TextShape.COMMA_OR_GROUP})
# Lines that certainly have the shape. Blank ones are allowed. One search for many texts takes a tenth of the time.
_ALIKE = {
    shape: re.compile(rf"(?:(?:{line})?\n)*+", re.ASCII)
    for shape, line in {
        TextShape.INTEGER: r"-?[1-9]\d{0,17}|0",
        TextShape.POINT: r"-?(?:0|[1-9]\d{0,8})\.(?:\d\d?|\d{4,8})",
        TextShape.DATE: r"\d{4}-\d\d-\d\d",
        TextShape.TIME: r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ",
        TextShape.TEXT: r"(?!(?:true|false)\s*\n)[A-Za-z][^\n]*",
    }.items()
}
COMPARED_AT_ONCE = frozenset(_ALIKE)


@lru_cache(maxsize=65_536)
def of(text: str) -> TextShape:
    """Return the shape of a text without blanks at its ends.

    >>> [of(text).value for text in ("12", "1,5", "1.234", "00123", "31.01.2024")]
    ['integer', 'decimal comma', '1.234', 'text', 'date of another form']
    """
    if _INTEGER.fullmatch(text):
        return TextShape.INTEGER if len(text) <= numbers.MAX_INTEGER_DIGITS else TextShape.TEXT
    marked = _MARKED.fullmatch(text)
    if marked is not None:
        if numbers.significant(text.lstrip("-")) > numbers.MAX_DIGITS:
            return TextShape.TEXT
        is_point, is_either = marked[1] == ".", _EITHER.fullmatch(text) is not None
        if is_either:
            return TextShape.POINT_OR_GROUP if is_point else TextShape.COMMA_OR_GROUP
        return TextShape.POINT if is_point else TextShape.COMMA
    if text in {"true", "false"}:
        return TextShape.BOOLEAN
    if _COMMA_WITH_GROUPS.fullmatch(text):
        return TextShape.COMMA
    return _date_shape(text)


def are_all(texts: Sequence[str], shape: TextShape) -> bool:
    """Return whether all texts that are not empty certainly have a shape of COMPARED_AT_ONCE.

    An ISO time must have the form in which it is stored.

    >>> are_all(["12", "", "0"], TextShape.INTEGER), are_all(["12", "012"], TextShape.INTEGER)
    (True, False)
    >>> [are_all([text], TextShape.TIME) for text in ("2024-01-31T09:00:00Z", "2024-02-30T09:00:00Z", "2024-01-31")]
    [True, False, False]
    """
    joined = "\n".join(texts) + "\n"
    if joined.count("\n") != len(texts) or not _ALIKE[shape].fullmatch(joined):
        return False
    if shape in {TextShape.DATE, TextShape.TIME}:
        try:
            deque(map(datetime.fromisoformat, filter(None, texts)), maxlen=0)
        except ValueError:
            return False
    return True


def _date_shape(text: str) -> TextShape:
    try:
        return TextShape.TIME if iso(text).has_time else TextShape.DATE
    except Unfit:
        return TextShape.OTHER_DATE if date_forms.of(text) else TextShape.TEXT


def is_like_a_name(text: str) -> bool:
    """Return whether a text may be the name of a column, and is not a number or a date.

    >>> is_like_a_name("Betrag"), is_like_a_name("2019"), is_like_a_name("25 %")
    (True, False, False)
    """
    own = text.strip()
    return bool(own) and _LIKE_DATA.fullmatch(own) is None and of(own) in {TextShape.TEXT}
