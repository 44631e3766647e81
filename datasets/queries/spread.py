"""The standard deviation of a sample."""

import math
from collections.abc import Iterable
from fractions import Fraction


def deviation(numbers: Iterable[tuple[int | float, int]]) -> float | None:
    """Return the standard deviation of the sample, None for fewer than two numbers. numbers: each with its count

    >>> deviation([(2, 1), (4, 3), (5, 2), (7, 1), (9, 1)])
    2.138089935299395
    """
    found = list(numbers)
    count = sum(times for _, times in found)
    if count < 2:
        return None
    if all(isinstance(number, int) for number, _ in found):
        return _of_whole([(int(number), times) for number, times in found], count)
    try:
        middle = math.fsum(number * times for number, times in found) / count
        differences = [(number - middle, times) for number, times in found]
        squares = math.fsum(difference * difference * times for difference, times in differences)
        rest = math.fsum(difference * times for difference, times in differences)  # of rounding the middle
        return math.sqrt(max(squares - rest * rest / count, 0.0) / (count - 1))
    except (OverflowError, ValueError):  # of infinity
        return math.inf


def _of_whole(numbers: list[tuple[int, int]], count: int) -> float:
    middle = sum(number * times for number, times in numbers) // count
    squares = sum((number - middle) ** 2 * times for number, times in numbers)
    rest = sum((number - middle) * times for number, times in numbers)
    return math.sqrt(Fraction(squares * count - rest * rest, count * (count - 1)))
