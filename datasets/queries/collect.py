"""What is collected beside the count of a group or period. Source: Data Set contract §11 (collected values)."""

import math
from typing import Any

from datasets.queries import values
from datasets.queries.query import Collect

_ABSENT = object()


class Tally:
    """The records of one group, one period, or one period of a group, as they come by."""

    def __init__(self, collects: tuple[Collect, ...]) -> None:
        self.collects = collects
        self.count = 0
        self.seen: dict[str, list[Any]] = {collect.name: [] for collect in collects}

    def add(self, fields: dict[str, Any]) -> None:
        self.count += 1
        for name, kept in self.seen.items():
            value = fields.get(name, _ABSENT)
            if value is not _ABSENT and value is not None:
                kept.append(value)

    def shown(self) -> dict[str, Any]:
        """Return `_count` and the collected values under their keys."""
        row: dict[str, Any] = {"_count": self.count}
        for collect in self.collects:
            row |= dict.fromkeys(collect.keys, _collected(collect.method, self.seen[collect.name]))
        return row


def _collected(method: str, kept: list[Any]) -> Any:
    if method == "count":
        return len(kept)
    if method == "set":
        distinct = {order: value for value in kept if (order := values.order(value)) and not values.is_last(value)}
        return [distinct[order] for order in sorted(distinct)]
    numbers = sorted(found for value in kept if (found := values.number(value)) is not None)
    figure = _figure(method, numbers) if numbers else None
    return figure if figure is None or math.isfinite(figure) else None  # beyond the doubles there is no JSON form


def _figure(method: str, numbers: list[int | float]) -> int | float | None:
    """numbers: sorted ascending, at least one."""
    if method == "min":
        return numbers[0]
    if method == "max":
        return numbers[-1]
    if method in {"median", "p95"}:
        return _quantile(numbers, 0.5 if method == "median" else 0.95)
    total = values.number(sum(found for found in numbers if isinstance(found, int)))
    doubles = [found for found in numbers if isinstance(found, float)]
    if doubles:
        total = _sum([*doubles, float(total or 0)])
    if method == "sum" or total is None:
        return total
    return total // len(numbers) if isinstance(total, int) and total % len(numbers) == 0 else total / len(numbers)


def _quantile(numbers: list[int | float], share: float) -> int | float:
    place = (len(numbers) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(numbers) - 1)
    if place == below or numbers[below] == numbers[above]:
        return numbers[below]
    return numbers[below] + (numbers[above] - numbers[below]) * (place - below)


def _sum(doubles: list[float]) -> float:
    try:
        return math.fsum(doubles)
    except (OverflowError, ValueError):  # beyond the doubles, or both infinities
        return math.inf
