"""Read numbers with the decimal and thousands marks of a column, never with a loss of digits."""

import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from datasets.imports.reading.cells import Unfit

MAX_DIGITS = 17  # significant ones of a number with a decimal mark: a double holds no more
MAX_INTEGER_DIGITS = 4_300
_BLANKS = r"[ \u00a0\u2009\u202f]"


@lru_cache(maxsize=256)
def pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """Return the pattern of a number: its groups are sign, whole part, fraction and exponent."""
    mark = _BLANKS if thousands == " " else re.escape(thousands)
    whole = rf"\d{{1,3}}(?:{mark}\d{{3}})+|\d+" if thousands else r"\d+"
    return re.compile(rf"([+-]?)({whole})(?:{re.escape(decimal)}(\d+))?(?:[eE]([+-]?\d{{1,3}}))?", re.ASCII)


def reader(
    *, decimal: str, thousands: str, whole: bool, unit: str | None = None, percent: str | None = None
) -> Callable[[str], int | float]:
    """Return the function that reads a number. It raises Unfit.

    whole: only whole numbers fit; percent: as in the settings of a column

    >>> reader(decimal=",", thousands=".", whole=False, unit="€")("1.234,50 €")
    1234.5
    >>> reader(decimal=".", thousands="", whole=False, percent="fraction")("25%")
    0.25
    """
    form = pattern(decimal, thousands)

    is_plain = unit is None and percent is None

    def read(text: str) -> int | float:
        if is_plain and text.isdigit() and text.isascii() and len(text) <= MAX_INTEGER_DIGITS:
            return int(text)
        own = _without(text.strip(), unit) if unit else text
        if percent is not None:
            own, has_sign = own.removesuffix("%").rstrip(), own.endswith("%")
            if percent == "fraction" and not has_sign:
                raise Unfit("has no percent sign")
        found = form.fullmatch(own)
        if found is None:
            raise Unfit("is not a whole number" if whole else "is not a number")
        sign, digits, fraction, exponent = found.groups()
        digits = digits if digits.isdigit() else "".join(filter(str.isdigit, digits))
        if fraction is None and exponent is None and percent != "fraction":
            return _integer(sign, digits)
        if not whole and percent is None and exponent is None and len(digits) + len(fraction or "") <= MAX_DIGITS:
            return float(f"{sign}{digits}.{fraction}")
        number = _exact(f"{sign}{digits}.{fraction or '0'}E{exponent or 0}")
        if percent == "fraction":
            number /= 100
        if whole:
            if number != number.to_integral_value():
                raise Unfit("is not a whole number")
            return int(number)
        return as_float(number)

    return read


def _without(text: str, unit: str) -> str:
    unit = unit.strip()
    if text.startswith(unit):
        return text[len(unit) :].lstrip()
    if text.endswith(unit):
        return text[: -len(unit)].rstrip()
    if text[:1] in {"+", "-"} and text[1:].lstrip().startswith(unit):  # such as -€5
        return text[0] + text[1:].lstrip()[len(unit) :].lstrip()
    return text


def _integer(sign: str, digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:
        raise Unfit(f"has more than {MAX_INTEGER_DIGITS} digits")
    return int(sign + digits)


def _exact(text: str) -> Decimal:
    if len(text) > MAX_INTEGER_DIGITS:
        raise Unfit("has too many digits")
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise Unfit("is not a number") from error


def as_float(number: Decimal) -> float:
    """Return the double of a number. Raises Unfit if it has more digits than a double."""
    if significant(str(abs(number.normalize()))) > MAX_DIGITS:
        raise Unfit(f"has more than {MAX_DIGITS} significant digits")
    value = float(number)
    if not math.isfinite(value):
        raise Unfit("is out of range")
    return value


def significant(text: str) -> int:
    """Return the number of significant digits of a number without a sign.

    >>> significant("0.00120"), significant("12E4")
    (3, 2)
    """
    digits = text.upper().partition("E")[0].replace(".", "").replace(",", "")
    return len(digits.lstrip("0"))
