"""The value axis: its range and its round numbers. Source: docs/reference/charts.md §2."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = 5  # approximate number on the axis
_ROUND = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """Round numbers in order, at equal distances. The first and the last are the ends of the axis."""

    ticks: Sequence[float]

    @property
    def low(self) -> float:
        return self.ticks[0]

    @property
    def high(self) -> float:
        return self.ticks[-1]

    @property
    def step(self) -> float:
        return self.ticks[1] - self.ticks[0]

    def part(self, value: float) -> float:
        """Return how far a value is from the lower end: 0 is the lower end, 1 the upper end."""
        return (value - self.low) / (self.high - self.low)


def covering(values: Sequence[float], *, from_zero: bool, is_whole: bool) -> Scale:
    """Return the scale of an axis for these values.

    from_zero: zero is part of the axis. Otherwise it is left out if the values are far from it
    is_whole: there are no numbers between 0 and 1
    """
    low, high = float(min(values, default=0.0)), float(max(values, default=0.0))
    if from_zero or low <= high / 2 or high <= low:
        low, high = min(low, 0.0), max(high, 0.0)
    return Scale(ticks(low, high, smallest_step=1.0 if is_whole else 0.0))


def ticks(low: float, high: float, *, smallest_step: float = 0.0) -> list[float]:
    """Return about five round numbers that cover the range.

    >>> ticks(0.0, 7.0), ticks(0.0, 0.0), ticks(0.0, 2.0, smallest_step=1.0), ticks(-30.0, 90.0)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 1.0], [0.0, 1.0, 2.0], [-50.0, 0.0, 50.0, 100.0])
    >>> ticks(0.0, 5e-321)
    [0.0, 5e-321]
    """
    if not high > low:
        return [min(low, 0.0), max(high, 0.0) or 1.0]
    rough = (high - low) / _STEPS
    power = 10.0 ** math.floor(math.log10(rough)) if rough >= sys.float_info.min else 0.0
    if not power or low + rough == low or high - rough == high:  # too close together for the numbers of a computer
        return [low, high]
    step = max(next(number * power for number in _ROUND if number * power >= rough * 0.999999), smallest_step)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [number * step for number in range(first, last + 1)]
