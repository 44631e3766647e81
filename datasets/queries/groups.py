"""Build the rows of grouped reads and reads by period from the counts of an engine.

Source: docs/reference/data-sets.md §11.
"""

import json
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple

from datasets.queries import periods, values
from datasets.queries.collect import RowAggregate
from datasets.queries.counted import Computed, Counted, FoundValue
from datasets.queries.periods import Window
from datasets.queries.query import Query
from datasets.queries.values import Order
from datasets.queries.where import evaluating
from datasets.records import moments

Row = dict[str, Any]
Key = tuple[Order, ...]


class GroupRow(NamedTuple):
    """The answer about one group. whole: its row, with the group values `names`; series: a row for each period"""

    key: Key
    names: Row
    whole: Row
    series: list[Row]


class _Group:
    """One combination of group_by values: its aggregate, and the aggregates of its periods by number.

    texts: the JSON texts of its values, in each spelling that the records have
    """

    def __init__(self, names: Row, query: Query) -> None:
        self.names = names
        self.texts: list[tuple[str | None, ...]] = []
        self.whole = RowAggregate(query.collect)
        self.in_periods: dict[int, RowAggregate] = {}

    def shown(self) -> Row:
        return {**self.names, **self.whole.shown()}


def rows(
    counted: Iterable[Counted | Computed | FoundValue],
    query: Query,
    window: Window | None,
    *,
    max_rows: int,
    only: Collection[Key] | None = None,
) -> list[GroupRow]:
    """Return the groups of a grouped read in order. Without group_by there is one, also of no records.

    counted: what an engine counted in the range of the window, or of the query if it has no periods
    only: the keys of the groups to return, None for all
    Raises InvalidQuery for more than `max_rows` rows.
    """
    found = _groups(counted, query, window, max_rows)
    if not query.group_by:
        found = found or {(): _Group({}, query)}
    elif only is not None:
        found = {key: group for key, group in found.items() if key in only}
    groups = _sorted(found, query)
    if window is None:
        return [GroupRow(key, group.names, group.shown(), []) for key, group in groups]
    if query.group_by and len(groups) * len(window.starts) > max_rows:
        raise periods.too_many(max_rows)
    return [
        GroupRow(
            key,
            group.names,
            _with_group_count(group) if query.group_by else {},  # without groups, the answer has the periods only
            list(_in_periods(group, query, window)),
        )
        for key, group in groups
    ]


def shaped(groups: list[GroupRow], query: Query) -> list[Row]:
    """Return the rows of the answer: one for each group, one for each period, or one for each period of a group."""
    if query.period is None:
        return [group.whole for group in groups]
    if not query.group_by:
        return groups[0].series
    if query.flatten or query.format == "csv":
        by_group = [[{**group.names, **row} for row in group.series] for group in groups]
        return [row for period in zip(*by_group, strict=True) for row in period]
    return [{**group.whole, "values": group.series} for group in groups]


def leading(
    counted: Iterable[Counted | Computed | FoundValue], query: Query, *, max_rows: int
) -> set[tuple[str | None, ...]]:
    """Return the texts of the groups that the order and the limit of a query without periods leave."""
    return {texts for _, group in _sorted(_groups(counted, query, None, max_rows), query) for texts in group.texts}


def _groups(
    counted: Iterable[Counted | Computed | FoundValue], query: Query, window: Window | None, max_rows: int
) -> dict[Key, _Group]:
    found: dict[Key, _Group] = {}
    by_texts: dict[tuple[str | None, ...], _Group | None] = {}  # most rows have texts that a row before had
    for row in counted:
        if isinstance(row, Computed):
            group = by_texts[row.keys] if row.keys in by_texts else _of_equal_numbers(row.keys, found)
            if group is not None:
                aggregate = group.whole if row.period is None else _in_period(group, row.period, query, window)
                aggregate.set(row)
            continue
        try:
            group = by_texts[row.keys]
        except KeyError:
            group = by_texts[row.keys] = _group(row.keys, found, query, max_rows)
        if group is None:
            continue
        group.whole.add(row)
        if row.period is not None:
            _in_period(group, row.period, query, window).add(row)
    return found


def _of_equal_numbers(texts: tuple[str | None, ...], found: dict[Key, _Group]) -> _Group | None:
    """Return the group of these texts, which has been counted with other spellings of its numbers."""
    if not all(map(_is_group_value, texts)):  # else an absent field or an array would count as null
        return None
    return found.get(tuple(values.order(json.loads(text)) for text in texts if text is not None))


def _group(texts: tuple[str | None, ...], found: dict[Key, _Group], query: Query, max_rows: int) -> _Group | None:
    """Return the group of these texts, or None if a field is absent or holds an array or object."""
    names: Row = {}
    for field, text in zip(query.group_by, texts, strict=True):
        if text is None or not _is_group_value(text):
            return None
        names[field] = json.loads(text)
    key = tuple(map(values.order, names.values()))
    group = found.get(key)
    if group is None:
        if len(found) == max_rows:
            raise periods.too_many(max_rows)
        group = found[key] = _Group(names, query)
    else:
        group.names = {field: values.preferred(value, names[field]) for field, value in group.names.items()}
    group.texts.append(texts)
    return group


def _is_group_value(text: str | None) -> bool:
    return text is not None and not text.startswith(("[", "{"))


def _in_period(group: _Group, period: datetime, query: Query, window: Window | None) -> RowAggregate:
    assert window is not None  # noqa: S101  only reads by period count by period
    number = bisect_right(window.starts, period) - 1
    aggregate = group.in_periods.get(number)
    if aggregate is None:
        aggregate = group.in_periods[number] = RowAggregate(query.collect)
    return aggregate


def _sorted(found: dict[Key, _Group], query: Query) -> list[tuple[Key, _Group]]:
    groups = sorted(found.items(), key=lambda item: item[0])
    having = query.having
    if having is not None:
        groups = [item for item in groups if evaluating.passes(having, _with_group_count(item[1]))]
    if query.sort is not None:
        name = query.sort.key
        placed = [(values.order(_with_group_count(item[1])[name]), item) for item in groups]
        ordered = [one for one in placed if one[0] != values.LAST]
        # `reverse` keeps the order of equal items, so that ties stay ascending by the group values.
        ordered.sort(key=itemgetter(0), reverse=query.sort.descending)
        groups = [item for _, item in ordered] + [item for order, item in placed if order == values.LAST]
    return groups[: query.limit]


def _with_group_count(group: _Group) -> Row:
    shown = group.shown()
    return {**shown, "_group_count": len(group.in_periods)} if group.in_periods else shown


def _in_periods(group: _Group, query: Query, window: Window) -> Iterator[Row]:
    """Yield one row for each period, including empty ones."""
    for number, start in enumerate(window.borders[:-1]):
        aggregate = group.in_periods.get(number) or RowAggregate(query.collect)
        span = {"_start_at": moments.write(start), "_end_at": moments.write(window.borders[number + 1])}
        yield {**span, **aggregate.shown()}
