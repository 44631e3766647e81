"""Compute the answers of section 11 in plain Python from whole records, for comparison with the database."""

import json
import math
from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from statistics import variance
from typing import Any

from datasets.errors import InvalidQuery
from datasets.queries import periods, values
from datasets.queries.query import Collect, Filter, Query
from datasets.records import moments

Row = dict[str, Any]


def matches(value: object, wanted: str) -> bool:
    """Return whether a stored value equals a filter's text. `12` matches text and number; so do `true` and `null`."""
    if isinstance(value, str):
        return value == wanted
    if isinstance(value, bool) or value is None:
        return json.dumps(value) == wanted
    as_number = values.number(value)
    return as_number is not None and as_number == values.json_number(wanted)


def passes(record: Row, one: Filter) -> bool:
    if one.moment is not None:
        return one.name in record and moments.parse(record[one.name]) == one.moment
    if one.name not in record:
        return False
    value = record[one.name]
    if one.is_prefix:
        return isinstance(value, str) and value.startswith(one.value)
    return matches(value, one.value)


def selected(records: list[Row], query: Query, start=None, end=None, *, inclusive=False) -> Iterator[Row]:
    for record in records:
        at = moments.parse(record["_timestamp"])
        is_after = start is None or at >= start
        is_before = end is None or (at <= end if inclusive else at < end)
        if is_after and is_before and all(passes(record, one) for one in query.filters):
            yield record


def groups(records: list[Row], query: Query, *, now: datetime, max_rows: int) -> list[Row]:
    window = periods.window(query, query.period, now=now, max_rows=max_rows) if query.period else None
    span = window or query
    start, end = (window.start_at, window.end_at) if window else (query.start_at, query.end_at)
    found: dict[Any, list[Row]] = {}
    for record in selected(records, query, start, end, inclusive=span.inclusive):
        names = [record.get(name, []) for name in query.group_by]
        if not any(isinstance(value, list | dict) for value in names):
            found.setdefault(tuple(map(values.order, names)), []).append(record)
    in_order = [_group(members, query, window) for _, members in sorted(found.items(), key=lambda item: item[0])]
    if query.sort is not None:
        key = query.sort.key
        first = [group for group in in_order if not values.is_last(group["row"][key])]
        first.sort(key=lambda group: values.order(group["row"][key]), reverse=query.sort.descending)
        in_order = first + [group for group in in_order if values.is_last(group["row"][key])]
    in_order = in_order[: query.limit]
    if window is None:
        return [group["row"] for group in in_order]
    if not query.group_by:
        return in_order[0]["periods"] if in_order else _group([], query, window)["periods"]
    if len(in_order) * (len(window.borders) - 1) > max_rows:
        raise InvalidQuery("too many")
    if query.flatten or query.format == "csv":
        return [
            group["names"] | group["periods"][number] for number in range(len(window.borders) - 1) for group in in_order
        ]
    return [group["row"] | {"values": group["periods"]} for group in in_order]


def _group(members: list[Row], query: Query, window: periods.Window | None) -> Row:
    names = {name: members[0][name] for name in query.group_by}
    row = names | _figures(members, query.collect)
    if window is None:
        return {"row": row}
    by_period: list[list[Row]] = [[] for _ in window.borders[:-1]]
    for record in members:
        by_period[bisect_right(window.borders, moments.parse(record["_timestamp"])) - 1].append(record)
    spans = [
        {"_start_at": moments.write(window.borders[number]), "_end_at": moments.write(window.borders[number + 1])}
        for number in range(len(by_period))
    ]
    shown = [span | _figures(there, query.collect) for span, there in zip(spans, by_period, strict=True)]
    return {"names": names, "row": row | {"_group_count": sum(1 for there in by_period if there)}, "periods": shown}


def _figures(members: list[Row], collects: tuple[Collect, ...]) -> Row:
    row: Row = {"_count": len(members)}
    for collect in collects:
        kept = [record[collect.name] for record in members if record.get(collect.name) is not None]
        row |= dict.fromkeys(collect.keys, collected(collect.method, kept))
    return row


def collected(method: str, kept: list[Any]) -> Any:
    if method == "count":
        return len(kept)
    if method == "set":
        distinct = {order: value for value in kept if (order := values.order(value)) and not values.is_last(value)}
        return [distinct[order] for order in sorted(distinct)]
    if method == "distinct":
        return len({order for value in kept if (order := values.order(value)) and not values.is_last(value)})
    numbers = sorted(found for value in kept if (found := values.number(value)) is not None)
    if method == "stddev":
        return _deviation(numbers)
    figure = _figure(method, numbers) if numbers else None
    return figure if figure is None or math.isfinite(figure) else None


def _deviation(numbers: list[int | float]) -> float | None:
    if len(numbers) < 2 or any(math.isinf(number) for number in numbers):
        return None
    try:
        found = math.sqrt(variance(map(Fraction, numbers)))
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _figure(method: str, numbers: list[int | float]) -> int | float:
    if method == "min":
        return numbers[0]
    if method == "max":
        return numbers[-1]
    if method == "median" or method[1:].isdigit():
        place = (len(numbers) - 1) * (0.5 if method == "median" else int(method[1:]) / 100)
        below = math.floor(place)
        above = min(below + 1, len(numbers) - 1)
        if place == below or numbers[below] == numbers[above]:
            return numbers[below]
        return numbers[below] + (numbers[above] - numbers[below]) * (place - below)
    total = _sum(numbers)
    if method == "sum" or isinstance(total, float):
        return total if method == "sum" else total / len(numbers)
    return total // len(numbers) if total % len(numbers) == 0 else total / len(numbers)


def _sum(numbers: list[int | float]) -> int | float:
    if any(math.isinf(number) for number in numbers):
        return math.inf
    exact = sum(map(Fraction, numbers))
    has_doubles = any(isinstance(number, float) for number in numbers)
    if not has_doubles and values.is_in_64_bits(int(exact)):
        return int(exact)
    try:
        return float(exact)
    except OverflowError:
        return math.inf
