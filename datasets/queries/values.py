"""Compare and sort JSON values.

Source: docs/reference/data-sets.md §11 (order of values).
"""

import json
import math
from typing import Any

_INT64 = range(-(2**63), 2**63)
NUMBER, TEXT = 0, 1  # kinds of values that have an order
LAST = (9, 0)  # the order of all other values

Order = tuple[int, Any]  # Any: a number, a text or None, depending on the first element


def number(value: object) -> int | float | None:
    """Return the number of a value: exact if whole and within 64 bits, otherwise a double. None for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) or value in _INT64:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def order(value: object) -> Order:
    """Return a sort key: numbers, texts by code point, false, true. Other values are equal and last.

    >>> sorted([True, "a", None, 2, False, 1.5, "B"], key=order)
    [1.5, 2, 'B', 'a', False, True, None]
    """
    if isinstance(value, bool):
        return (2, value)
    if isinstance(value, str):
        return (TEXT, value)
    as_number = number(value)
    return LAST if as_number is None else (NUMBER, as_number)


def preferred(first: Any, second: Any) -> Any:
    """Return which of two equal values an answer shows: a whole number rather than a double, 0.0 rather than -0.0.

    Of two whole numbers beyond 64 bits, it is the smaller one. So an answer does not depend on the order of the rows.

    >>> preferred(1.0, 1), preferred(-0.0, 0.0), preferred(0.0, -0.0)
    (1, 0.0, 0.0)
    """
    return second if _preference(second) < _preference(first) else first


def _preference(value: Any) -> tuple[bool, int, bool]:
    is_double = isinstance(value, float)
    return is_double, value if isinstance(value, int) else 0, is_double and math.copysign(1, value) < 0


def is_last(value: object) -> bool:
    return order(value) == LAST


def is_in_64_bits(whole: int) -> bool:
    return whole in _INT64


def json_number(text: str) -> int | float | None:
    """Return the number of a JSON text such as `12` or `1e1`; None for `012` and for numbers too large for a double."""
    try:
        value = json.loads(text) if text.strip() == text else None
    except (ValueError, RecursionError):
        return None
    found = number(value)
    return found if found is not None and math.isfinite(found) else None
