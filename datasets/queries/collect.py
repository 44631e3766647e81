"""Aggregate the collected fields of a group or period.

Source: docs/reference/data-sets.md §11 (collected values).
"""

import json
import math
from typing import Any

from datasets.queries import counting, methods, values
from datasets.queries.counting import Counted
from datasets.queries.methods import METHODS, POINT, Needs
from datasets.queries.query import Collect


class FieldAggregate:
    """The aggregate of one field in one group or period.

    is_spread, is_set: whether distinct numbers or distinct values are kept; otherwise memory use is constant
    """

    def __init__(self, names: set[str]) -> None:
        needs = {METHODS[name].needs for name in names}
        self.is_spread = Needs.NUMBERS in needs
        self.is_set = Needs.VALUES in needs
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
        self.exact += total << POINT
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
        self.exact += above * count << POINT + 1 - below.bit_length()


class RowAggregate:
    """The count and the collected fields of one row: a group, a period, or a period of a group."""

    def __init__(self, collects: tuple[Collect, ...]) -> None:
        self.collects = collects
        self.count = 0
        self.fields = {name: FieldAggregate(given) for name, given in counting.fields(collects).items()}
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
            row |= dict.fromkeys(collect.keys, methods.value(collect.method, self.fields[collect.name]))
        return row
