"""Aggregate the collected fields of a group or period.

Source: docs/reference/data-sets.md §11 (collected values).
"""

import json
import math
from datetime import datetime
from typing import Any

from datasets.queries import counted, methods, values
from datasets.queries.counted import Computed, Counted, FoundValue
from datasets.queries.methods import METHODS, POINT, Needs
from datasets.queries.query import Collect


class FieldAggregate:
    """The aggregate of one field in one group or period.

    is_spread, is_set: whether distinct numbers or distinct values are kept; otherwise memory use is constant
    spread: the different numbers, each in the form to show and with its count
    computed: by method, the values that the engine computed itself
    found: by method, the value of the first or last record so far
    """

    def __init__(self, names: set[str]) -> None:
        needs = {METHODS[name].needs for name in names}
        self.is_spread = Needs.NUMBERS in needs
        self.is_set = Needs.VALUES in needs
        self.present = self.numbers = self.exact = 0
        self.has_doubles = self.has_infinity = False
        self.computed: dict[str, int | float] = {}
        self.least: int | float = math.inf
        self.greatest: int | float = -math.inf
        self.spread: dict[int | float, tuple[int | float, int]] = {}
        self.distinct: dict[values.Order, Any] = {}
        self.found: dict[str, FoundValue] = {}

    def add(self, row: Counted) -> None:
        if row.value is None:
            return
        self.present += row.records
        if row.total is not None:
            self._add_total(row, row.total, are_doubles=row.value == counted.DOUBLES)
        elif row.value != counted.OTHER:
            value = json.loads(row.value)
            if self.is_set and not values.is_last(value):
                order = values.order(value)
                self.distinct[order] = values.preferred(self.distinct.get(order, value), value)
            number = values.number(value)
            if number is not None:
                self._add_number(number, row.records)

    def _add_total(self, row: Counted, total: int, *, are_doubles: bool) -> None:
        self.numbers += row.records
        self.exact += total if are_doubles else total << POINT
        self.has_doubles = self.has_doubles or are_doubles
        least, greatest = row.least, row.greatest
        # Of equal numbers, a whole one is shown.
        if least is not None and (least < self.least or (least == self.least and not are_doubles)):
            self.least = least
        if greatest is not None and (greatest > self.greatest or (greatest == self.greatest and not are_doubles)):
            self.greatest = greatest

    def _add_number(self, number: int | float, count: int) -> None:
        self.numbers += count
        if number <= self.least:
            self.least = number if number < self.least else values.preferred(self.least, number)
        if number >= self.greatest:
            self.greatest = number if number > self.greatest else values.preferred(self.greatest, number)
        if self.is_spread:
            known, before = self.spread.get(number, (number, 0))
            self.spread[number] = (values.preferred(known, number), before + count)
        if isinstance(number, float):
            self.has_doubles = True
        if math.isinf(number):
            self.has_infinity = True
            return
        above, below = number.as_integer_ratio()
        self.exact += above * count << POINT + 1 - below.bit_length()

    def keep(self, row: FoundValue) -> None:
        """Keep the value of `first` or `last` if its record is earlier or later than the one so far."""
        known = self.found.get(row.method)
        if known is None or methods.is_beyond(row.method, _place(row), _place(known)):
            self.found[row.method] = row

    def value(self, method: str) -> Any:
        if METHODS[method].needs == Needs.PLACE:
            return json.loads(self.found[method].value) if method in self.found else None
        found = self.computed[method] if method in self.computed else methods.value(method, self)
        # A number too large for a double is null, because JSON has no infinity.
        return None if isinstance(found, float) and not math.isfinite(found) else found


def _place(row: FoundValue) -> tuple[datetime, str]:
    return row.timestamp, row.record_id


class RowAggregate:
    """The count and the collected fields of one row: a group, a period, or a period of a group."""

    def __init__(self, collects: tuple[Collect, ...]) -> None:
        self.collects = collects
        self.count = 0
        self.fields = {name: FieldAggregate(given) for name, given in counted.fields(collects).items()}
        self._in_order = list(self.fields.values())

    def add(self, row: Counted | FoundValue) -> None:
        if isinstance(row, FoundValue):
            self._in_order[row.field].keep(row)
            return
        if row.field == 0:
            self.count += row.records
        if self._in_order:
            self._in_order[row.field].add(row)

    def set(self, row: Computed) -> None:
        self._in_order[row.field].computed[row.method] = row.value

    def shown(self) -> dict[str, Any]:
        """Return `_count` and the collected values by key."""
        row: dict[str, Any] = {"_count": self.count}
        for collect in self.collects:
            row |= dict.fromkeys(collect.keys, self.fields[collect.name].value(collect.method))
        return row
