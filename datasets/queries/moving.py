"""Means over the last periods of a series. Source: docs/reference/data-sets.md §11 (moving)."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from datasets.queries import values


def moving_key(key: str) -> str:
    """Return the key of the moving mean of another key.

    >>> moving_key("amount:sum")
    'amount:sum:moving'
    """
    return f"{key}:moving"


def add_means(series: Sequence[dict[str, Any]], keys: Iterable[str], length: int) -> None:
    """Add the moving means of these keys to the rows of one group, in order of time.

    A key whose values are not all numbers or null gets no mean.
    """
    for key in keys:
        found = [row[key] for row in series]
        if not all(value is None or values.number(value) is not None for value in found):
            continue
        for place, row in enumerate(series):
            last = found[place + 1 - length : place + 1] if place + 1 >= length else []
            row[moving_key(key)] = mean([value for value in last if value is not None])


def mean(numbers: Sequence[int | float]) -> int | float | None:
    """Return the exactly rounded mean: a whole number if it is one and all numbers are. None for no numbers.

    >>> mean([1, 2, 6]), mean([1, 2]), mean([0.1, 0.2, 0.3]), mean([])
    (3, 1.5, 0.2, None)
    """
    if not numbers:
        return None
    exact = sum(map(Fraction, numbers), Fraction()) / len(numbers)
    is_whole = exact.denominator == 1 and all(isinstance(number, int) for number in numbers)
    return int(exact) if is_whole else float(exact)
