"""Aggregate the collected fields of a group or period.

Source: docs/reference/data-sets.md §11 (collected values).
"""

import json
import math
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from datasets.queries import counting, values
from datasets.queries.counting import Counted
from datasets.queries.query import Collect

_POINT = 1074  # no double has more binary places


class FieldAggregate:
    """The aggregate of one field in one group or period.

    is_spread, is_set: whether distinct numbers or distinct values are kept; otherwise memory use is constant
    exact: the sum of the finite numbers in units of the smallest double, so that it is rounded only once
    """

    def __init__(self, methods: set[str]) -> None:
        self.is_spread = bool(methods & {"median", "p95"})
        self.is_set = "set" in methods
        self.present = self.numbers = self.exact = 0
        self.has_doubles = self.has_infinity = False
        self.least: int | float = math.inf
        self.greatest: int | float = -math.inf
        self.spread: dict[int | float, int] = {}
        self.distinct: dict[values.Order, Any] = {}

    def add(self, row: Counted) -> None:
        if row.value is None:
            return
        self.present += row.records
        if row.total is not None and row.least is not None and row.greatest is not None:
            self._add_wholes(row.records, row.total, row.least, row.greatest)
        elif row.value != counting.OTHER:
            value = json.loads(row.value)
            if self.is_set and not values.is_last(value):
                self.distinct[values.order(value)] = value
            number = values.number(value)
            if number is not None:
                self._add_number(number, row.records)

    def _add_wholes(self, count: int, total: int, least: int, greatest: int) -> None:
        self.numbers += count
        self.exact += total << _POINT
        self.least, self.greatest = min(self.least, least), max(self.greatest, greatest)

    def _add_number(self, number: int | float, count: int) -> None:
        self.numbers += count
        self.least, self.greatest = min(self.least, number), max(self.greatest, number)
        if self.is_spread:
            self.spread[number] = self.spread.get(number, 0) + count
        if isinstance(number, float):
            self.has_doubles = True
        if math.isinf(number):
            self.has_infinity = True
            return
        above, below = number.as_integer_ratio()
        self.exact += above * count << _POINT + 1 - below.bit_length()

    def shown(self, method: str) -> Any:
        """Return the collected value, or None if it is too large for a double."""
        if method == "count":
            return self.present
        if method == "set":
            return [self.distinct[order] for order in sorted(self.distinct)]
        number = self._number(method) if self.numbers else None
        return number if number is None or math.isfinite(number) else None

    def _number(self, method: str) -> int | float | None:
        if method == "min":
            return self.least
        if method == "max":
            return self.greatest
        if method in {"median", "p95"}:
            return self._quantile(0.5 if method == "median" else 0.95)
        total = self._sum()
        if method == "sum" or math.isinf(total):
            return total
        is_whole = isinstance(total, int) and total % self.numbers == 0
        return total // self.numbers if is_whole else total / self.numbers

    def _sum(self) -> int | float:
        if self.has_infinity:
            return math.inf
        whole = values.number(self.exact >> _POINT)
        if isinstance(whole, int) and not self.has_doubles:
            return whole
        try:
            return self.exact / (1 << _POINT)  # division of two integers is rounded correctly
        except OverflowError:
            return math.inf

    def _quantile(self, share: float) -> int | float:
        """Return the quantile, interpolated linearly between its two neighbours."""
        ordered = sorted(self.spread)
        ends = list(accumulate(self.spread[number] for number in ordered))
        place = (self.numbers - 1) * share
        below = math.floor(place)
        low, high = (ordered[bisect_right(ends, each)] for each in (below, min(below + 1, self.numbers - 1)))
        if place == below or low == high:
            return low
        return low + (high - low) * (place - below)


class RowAggregate:
    """The count and the collected fields of one row: a group, a period, or a period of a group."""

    def __init__(self, collects: tuple[Collect, ...]) -> None:
        self.collects = collects
        self.count = 0
        self.fields = {name: FieldAggregate(methods) for name, methods in counting.fields(collects).items()}
        self._in_order = list(self.fields.values())

    def add(self, row: Counted) -> None:
        if row.field == 0:
            self.count += row.records
        if self._in_order:
            self._in_order[row.field].add(row)

    def shown(self) -> dict[str, Any]:
        """Return `_count` and the collected values by key."""
        row: dict[str, Any] = {"_count": self.count}
        for collect in self.collects:
            row |= dict.fromkeys(collect.keys, self.fields[collect.name].shown(collect.method))
        return row
