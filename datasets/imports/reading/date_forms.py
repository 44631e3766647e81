"""Find the forms that a text may have as a date, so that a person is asked if there are several."""

import re
from datetime import date
from functools import lru_cache
from itertools import chain

from datasets.imports.reading import forms
from datasets.imports.reading.cells import Unfit

_DATE = re.compile(r"(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})(?:([T ])(\d{1,2}):(\d{2})(?::(\d{2}))?)?", re.ASCII)
_ORDERS = (("dd", "mm", "yyyy"), ("mm", "dd", "yyyy"), ("yyyy", "mm", "dd"))
_SHORT_ORDERS = (("dd", "mm", "yy"), ("mm", "dd", "yy"), ("yy", "mm", "dd"))
# Texts and numbers that are periods or instants. They make `_timestamp` only if a person chooses so.
PERIODS = (
    *("yyyy-mm", "yyyy/mm", "yyyy.mm", "yyyymm", "yyyymmdd", "yyyyMmm", "yyyy-Mmm", "mm/yyyy", "mm.yyyy", "mm-yyyy"),
    *("yyyy-Qq", "yyyyQq", "yyyy Qq", "yyyy/Qq", "Qq yyyy", "Qq/yyyy", "yyyy-Www", "yyyyWww", "yyyy-ww", "yyyy/ww"),
    *("yyyymmddhhmm", "yyyymmddhhmmss", "dd.mm.yyyy hh.mm", "hh:mm dd.mm.yyyy", "hh:mm dd/mm/yyyy", "yyyy"),
)
_YEARS = range(1800, 2200)
_INSTANTS = {"excel": range(10_000, 100_000), "unix_s": range(10**8, 10**10), "unix_ms": range(10**11, 10**13)}


@lru_cache(maxsize=8192)
def of(text: str) -> frozenset[str]:
    """Return the forms with day, month and year that fit the text.

    >>> sorted(of("03/04/2024")), sorted(of("31.01.2024 09:00")), sorted(of("Berlin"))
    (['dd/mm/yyyy', 'mm/dd/yyyy'], ['dd.mm.yyyy hh:mm'], [])
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return frozenset()
    first, mark, second, third, between, hour, minute, seconds = found.groups()
    time = "" if hour is None else f"{between}hh:mm" + (":ss" if seconds else "")
    if hour is not None and (int(hour) > 23 or int(minute) > 59 or int(seconds or 0) > 59):
        return frozenset()
    numbers = (first, second, third)
    orders = _SHORT_ORDERS if max(len(first), len(third)) < 3 else _ORDERS
    return frozenset(mark.join(order) + time for order in orders if _is_date(numbers, order))


def _is_date(numbers: tuple[str, str, str], order: tuple[str, str, str]) -> bool:
    part = dict(zip(order, numbers, strict=True))
    year = part.get("yyyy") or part.get("yy") or ""
    if len(year) != (4 if "yyyy" in part else 2) or len(part["dd"]) > 2:
        return False
    try:
        date(int(year) if "yyyy" in part else 2000, int(part["mm"]), int(part["dd"]))
    except ValueError:
        return False
    return True


@lru_cache(maxsize=8192)
def periods_of(text: str) -> frozenset[str]:
    """Return the forms of periods and instants that fit the text.

    >>> sorted(periods_of("2024-Q1")), sorted(periods_of("1706691600"))
    (['yyyy-Qq'], ['unix_s'])
    """
    fitting = (form for form in PERIODS if _fits(text, form))
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 15 else -1
    return frozenset(chain(fitting, (form for form, numbers in _INSTANTS.items() if number in numbers)))


def _fits(text: str, form: str) -> bool:
    try:
        return forms.parser(form)(text).at.year in _YEARS
    except Unfit:
        return False


def has_short_year(form: str) -> bool:
    return "yyyy" not in form


def has_time(form: str) -> bool:
    return "hh" in form
