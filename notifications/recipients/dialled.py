"""Reduce a typed phone number to its digits and its shape. Source: docs/reference/rendering.md §7, steps 1 to 4.

These steps look at the digits alone, before the number plan does. The shape decides which error an invalid number gets.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto

from config.unseen import without_unseen
from notifications.recipients.outcomes import InvalidPhoneNumber, PhoneRejection

_HYPHENS = str.maketrans("\u2011\u2013\u2014\u2212", "----")
_ALPHABET = frozenset("0123456789()+- \t")
_FIRST_DIGIT, _DIGITS = re.compile(r"[1-9]"), re.compile(r"[0-9]+")
_UK_CODE = "44"
_UK_DIGITS = 10


class Shape(Enum):
    """The notation of a number: UK, foreign, or ambiguous."""

    UK = auto()
    UNSURE = auto()
    FOREIGN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialled:
    """The digits of a number as typed.

    as_given: the number as records and callbacks show it
    digits: the significant digits with their leading zeros (`d` in the contract)
    has_plus: whether a plus sign precedes them
    shape: the notation
    number: the digits without leading zeros; for the UK shape, also without 44 (`n` in the contract)
    """

    as_given: str
    digits: str
    has_plus: bool
    shape: Shape
    number: str

    @property
    def significant(self) -> str:
        """Return the digits without leading zeros (`r` in the contract)."""
        return self.digits.lstrip("0")


def kept_form(text: str) -> str:
    """Return a recipient as records and callbacks show it: trimmed and without characters that nobody sees.

    >>> kept_form(" 07700\\u00a0900 123\\u200b ")
    '07700900 123'
    """
    return without_unseen(text).strip()


def read(text: str) -> Dialled:
    """Reduce a typed number to its digits and shape.

    Raises InvalidPhoneNumber with UNKNOWN_CHARACTER for characters other than digits, brackets, plus, hyphen and space.

    >>> read("+44 (0)7700 900123").number
    '7700900123'
    """
    as_given = kept_form(text)
    cleaned = as_given.translate(_HYPHENS)
    if not _ALPHABET.issuperset(cleaned):
        raise InvalidPhoneNumber(PhoneRejection.UNKNOWN_CHARACTER)

    first_digit = _FIRST_DIGIT.search(cleaned)
    before_digits = cleaned[: first_digit.start()] if first_digit else cleaned
    plus_at = before_digits.rfind("+")
    digits = "".join(_DIGITS.findall(cleaned[plus_at + 1 :]))
    shape, number = _shape(digits, has_plus=plus_at >= 0)
    return Dialled(as_given=as_given, digits=digits, has_plus=plus_at >= 0, shape=shape, number=number)


def _shape(digits: str, *, has_plus: bool) -> tuple[Shape, str]:
    significant = digits.lstrip("0")
    zeros = len(digits) - len(significant)
    if significant.startswith(_UK_CODE):
        return Shape.UK, significant.removeprefix(_UK_CODE).lstrip("0")
    if zeros == 1:
        return Shape.UK, significant
    if zeros or has_plus:
        return Shape.FOREIGN, significant
    if significant.startswith("7") and len(significant) <= _UK_DIGITS:
        return Shape.UK, significant
    return Shape.UNSURE, significant
