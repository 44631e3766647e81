"""The methods of collected fields. Source: docs/reference/data-sets.md §11 (collected values).

METHODS is the only place that names them: a new method needs a row here, and a sentence in the reference.
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

from datasets.queries import spread, values


class Needs(IntEnum):
    """What a method needs to know of the values of a field. From PRESENCE on, each step includes the ones before."""

    PLACE = -1  # the value of the first or last record only
    PRESENCE = 0  # how many there are
    TOTALS = 1  # small whole numbers may be added up before
    NUMBERS = 2  # each different number, with its count
    VALUES = 3  # each different value


class Collected(Protocol):
    """What the methods use of an aggregate (datasets.queries.collect.FieldAggregate).

    exact: the sum of the finite numbers in units of 2 to the power of -POINT, so that it is rounded only once
    """

    present: int
    numbers: int
    exact: int
    has_doubles: bool
    has_infinity: bool
    least: int | float
    greatest: int | float
    spread: dict[int | float, tuple[int | float, int]]
    distinct: dict[values.Order, Any]


class Method(NamedTuple):
    """A method. of: returns the value of an aggregate that has a number, or any value if `of_any` is set"""

    needs: Needs
    of: Callable[[Collected], Any]
    of_any: bool = False


POINT = 1074  # no double has more binary places


def _sum(collected: Collected) -> int | float:
    if collected.has_infinity:
        return math.inf
    whole = values.number(collected.exact >> POINT)
    if isinstance(whole, int) and not collected.has_doubles:
        return whole
    try:
        return collected.exact / (1 << POINT)  # division of two integers is rounded correctly
    except OverflowError:
        return math.inf


def _mean(collected: Collected) -> int | float:
    total = _sum(collected)
    if math.isinf(total):
        return total
    is_whole = isinstance(total, int) and total % collected.numbers == 0
    return total // collected.numbers if is_whole else total / collected.numbers


QUANTILES = {"median": 0.5} | {f"p{percent}": percent / 100 for percent in range(1, 100)}


def _quantile(share: float) -> Callable[[Collected], int | float]:
    """Return the function for a quantile, interpolated linearly between its two neighbours."""

    def of(collected: Collected) -> int | float:
        ordered = sorted(collected.spread)
        ends = list(accumulate(collected.spread[number][1] for number in ordered))
        place = (collected.numbers - 1) * share
        below = math.floor(place)
        neighbours = (below, min(below + 1, collected.numbers - 1))
        low, high = (collected.spread[ordered[bisect_right(ends, each)]][0] for each in neighbours)
        if place == below or low == high:
            return low
        return low + (high - low) * (place - below)

    return of


def _stddev(collected: Collected) -> float | None:
    """Return the standard deviation of the sample."""
    return spread.deviation((number, count) for number, count in collected.spread.values())


def is_beyond(method: str, place: Any, other: Any) -> bool:
    """Return whether a place is before the other for `first`, or after it for `last`."""
    return bool(place < other if method == "first" else place > other)


def _set(collected: Collected) -> list[Any]:
    return [collected.distinct[order] for order in sorted(collected.distinct)]


METHODS = {
    "sum": Method(Needs.TOTALS, _sum),
    "count": Method(Needs.PRESENCE, lambda collected: collected.present, of_any=True),
    "set": Method(Needs.VALUES, _set, of_any=True),
    "distinct": Method(Needs.VALUES, lambda collected: len(collected.distinct), of_any=True),
    "mean": Method(Needs.TOTALS, _mean),
    "min": Method(Needs.TOTALS, lambda collected: collected.least),
    "max": Method(Needs.TOTALS, lambda collected: collected.greatest),
    "stddev": Method(Needs.NUMBERS, _stddev),
    "first": Method(Needs.PLACE, lambda _: None),
    "last": Method(Needs.PLACE, lambda _: None),
    **{name: Method(Needs.NUMBERS, _quantile(share)) for name, share in QUANTILES.items()},
}


NUMERIC = ("sum", "mean", "min", "max", "median", "p95", "stddev")  # those that forms offer for a field of numbers


def value(name: str, collected: Collected) -> Any:
    """Return the value of a method, or None if there is no number."""
    method = METHODS[name]
    return method.of(collected) if method.of_any or collected.numbers else None
