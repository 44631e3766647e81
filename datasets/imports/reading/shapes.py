"""What a text looks like: a number, a date, a truth value. Source: docs/reference/imports.md §4."""

import re
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
