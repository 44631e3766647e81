"""The forms of dates and times: `dd.mm.yyyy hh:mm`, `iso`, `excel`, `unix_s` and so on.

Source: docs/reference/imports.md §3.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from datasets.imports.reading.cells import CellMoment, Unfit

Parse = Callable[[str], CellMoment]  # raises Unfit

NAMED = frozenset({"iso", "excel", "excel_1904", "unix_s", "unix_ms"})
_TOKEN = re.compile("yyyy|yy|mm|dd|hh|ss|ww|q")
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?"
    r"|(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_STORED = re.compile(r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ", re.ASCII)
_STORED_LENGTH = len("2024-01-31T09:00:00Z")
_NUMBER = re.compile(r"-?\d{1,15}(?:[.,]\d{1,15})?", re.ASCII)
_MAX_CHARACTERS = 100
_CENTURY_BEGINS = 69  # 69 to 99 are 19yy
_DAYS = {"excel": (datetime(1899, 12, 30), 2_958_466), "excel_1904": (datetime(1904, 1, 1), 2_957_004)}  # noqa: DTZ001
_LEAP_DAY_OF_1900 = 60
_NOT_REAL = "is not a real date or time"


def wrong(form: str) -> str | None:
    """Return why a form cannot be used, or None.

    >>> wrong("dd.mm.yyyy"), wrong("tt.mm.jjjj")
    (None, 'must have yyyy or yy')
    """
    if form in NAMED:
        return None
    if len(form) > _MAX_CHARACTERS:
        return f"must have at most {_MAX_CHARACTERS} characters"
    found = tokens(form)
    if "yyyy" not in found and "yy" not in found:
        return "must have yyyy or yy"
    if len(set(found)) < len(found) or {"yyyy", "yy"} <= set(found):
        return "has a part twice"
    if "dd" in found and "mm" not in found:
        return "has dd without mm"
    if len({"q", "ww", "mm"} & set(found)) > 1:
        return "must have only one of mm, q and ww"
    if ("minute" in found and "hh" not in found) or ("ss" in found and "minute" not in found):
        return "has smaller parts of a time without the larger ones"
    if "hh" in found and not {"dd", "ww", "q", "mm"} & set(found):
        return "has a time without a day"
    return None


def tokens(form: str) -> list[str]:
    """Return the parts of a form in their order. `mm` after `hh` are minutes."""
    return [token for token, _, _ in _parts(form)]


def _parts(form: str) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(form):
        token, seen = match[0], {name for name, _, _ in found}
        if token == "mm" and "hh" in seen and "minute" not in seen:  # noqa: S105
            token = "minute"  # noqa: S105
        found.append((token, match.start(), match.end()))
    return found


@lru_cache(maxsize=512)
def parser(form: str) -> Parse:
    """Return the function that reads a text in this form."""
    if form == "iso":
        return lru_cache(maxsize=1024)(iso)
    if form in NAMED:
        return lru_cache(maxsize=8192)(lambda text: from_number(_number(text), form))
    pattern, names = _pattern(form)
    return lru_cache(maxsize=8192)(lambda text: _read(text, form, pattern, names))


def iso(text: str) -> CellMoment:
    """Read a date or a time in the form of ISO 8601. Raises Unfit.

    >>> iso("2024-01-31T09:00:00.50+01:00").at.isoformat(), iso("2024-01-31").has_time
    ('2024-01-31T08:00:00+00:00', False)
    """
    found = _ISO.fullmatch(text)
    if found is None:
        raise Unfit("is not a date or time such as 2024-01-31 or 2024-01-31T09:00:00Z")
    year, month, day, hour, minute, second, fraction, offset = found.groups()[:8] if found[1] else found.groups()[8:]
    at = _moment(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))
    if offset:
        try:
            at = (at - _offset(offset)).replace(tzinfo=UTC)
        except OverflowError as error:
            raise Unfit(_NOT_REAL) from error
    return CellMoment(at, hour is not None, fraction or "")


def is_in_utc(text: str) -> bool:
    """Return whether a text is a time in the form in which it is stored.

    >>> is_in_utc("2024-01-31T09:00:00Z"), is_in_utc("2024-02-30T09:00:00Z"), is_in_utc("2024-01-31")
    (True, False, False)
    """
    if len(text) != _STORED_LENGTH or text[-1] != "Z" or _STORED.fullmatch(text) is None:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _offset(text: str) -> timedelta:
    if text in "Zz":
        return timedelta()
    digits = text[1:].replace(":", "").ljust(4, "0")
    if int(digits[2:]) > 59 or int(digits[:2]) > 23:
        raise Unfit(_NOT_REAL)
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -size if text[0] == "-" else size


def from_number(number: float, form: str) -> CellMoment:
    """Return the moment of a serial number or of seconds since 1970. Raises Unfit.

    >>> from_number(45322, "excel").text, from_number(1706691600, "unix_s").text
    ('2024-01-31', '2024-01-31 09:00:00')
    """
    if form in _DAYS:
        return _from_serial(number, form)
    seconds = number / 1000 if form == "unix_ms" else number
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    try:
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=whole)
    except OverflowError as error:
        raise Unfit(_NOT_REAL) from error
    return CellMoment(at, True, f"{milliseconds:03}" if milliseconds else "")


def _from_serial(number: float, form: str) -> CellMoment:
    first, end = _DAYS[form]
    if not 0 <= number < end:
        raise Unfit("is not a date of a spreadsheet")
    if form == "excel":
        if int(number) == _LEAP_DAY_OF_1900:
            raise Unfit("is 29 February 1900, which does not exist")
        if number < 1:
            raise Unfit("is a time without a date")
        if number < _LEAP_DAY_OF_1900:
            number += 1
    whole, milliseconds = divmod(round(number * 86_400_000), 1000)
    at = first + timedelta(seconds=whole)
    return CellMoment(at, number != int(number), f"{milliseconds:03}" if milliseconds else "")


def _number(text: str) -> float:
    if _NUMBER.fullmatch(text) is None:
        raise Unfit("is not a number")
    return float(text.replace(",", "."))


def _pattern(form: str) -> tuple[re.Pattern[str], list[str]]:
    """Return the pattern of a form. One digit is enough for a month, day or hour, unless it touches another part."""
    pattern, last, names = "", 0, []
    parts = _parts(form)
    starts, ends = {start for _, start, _ in parts}, {end for _, _, end in parts}
    for token, start, end in parts:
        pattern += re.escape(form[last:start])
        touches = start in ends or end in starts
        short = r"(\d{2})" if touches else r"(\d{1,2})"
        pattern += {"yyyy": r"(\d{4})", "q": "([1-4])", "mm": short, "dd": short, "hh": short, "ww": short}.get(
            token, r"(\d{2})"
        )
        names.append(token)
        last = end
    return re.compile(pattern + re.escape(form[last:]), re.ASCII), names


def _read(text: str, form: str, pattern: re.Pattern[str], names: list[str]) -> CellMoment:
    found = pattern.fullmatch(text)
    if found is None:
        raise Unfit(f"does not have the form {form}")
    part = {name: int(digits) for name, digits in zip(names, found.groups(), strict=True)}
    year = part.get("yyyy")
    if year is None:
        year = part["yy"] + (1900 if part["yy"] >= _CENTURY_BEGINS else 2000)
    hour, minute, second = part.get("hh", 0), part.get("minute", 0), part.get("ss", 0)
    if "ww" in part:
        try:
            day = datetime.fromisocalendar(year, part["ww"], 1)
        except ValueError as error:
            raise Unfit(_NOT_REAL) from error
        at = _moment(day.year, day.month, day.day, hour, minute, second)
    else:
        month = part["q"] * 3 - 2 if "q" in part else part.get("mm", 1)
        at = _moment(year, month, part.get("dd", 1), hour, minute, second)
    return CellMoment(at, "hh" in part)


def _moment(year: int, month: int, day: int, hour: int, minute: int, second: int) -> datetime:
    try:
        return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001  a local time
    except ValueError as error:
        raise Unfit(_NOT_REAL) from error
