"""Whole records, in the order of time and `_id` or of one field. Source: Data Set contract §11 (raw).

In the order of time, or of `_id`, records come sorted from an index: a page begins at its place there, and an export is
one such page after the other, so it holds no more than one in memory and no statement or snapshot open while a slow
reader reads. In the order of another field a page holds no more than itself in memory, whatever the number of records
it is chosen from; an export, which asks for all, is sorted whole.
"""

import heapq
from collections.abc import Iterator
from itertools import islice
from math import isfinite
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from datasets.models import Record
from datasets.queries import cursor, selected, values
from datasets.queries.cursor import Position
from datasets.queries.query import Query
from datasets.queries.selected import Row
from datasets.records import moments

_EXPORTED = 2_000  # records of an export in memory at a time
_BEYOND = 10**309  # stands in a cursor for a number that is no double: JSON has no word for infinity


class Page(NamedTuple):
    """One page, and the cursor of the next if there is one."""

    rows: list[Row]
    next_cursor: str | None


def page(data_set_id: int, query: Query) -> Page:
    """Return up to `limit` records after the cursor, found by key: no offset is ever counted off."""
    assert query.limit is not None  # noqa: S101  a raw JSON read has its default
    asked = list(islice(rows(data_set_id, query, most=query.limit + 1), query.limit + 1))
    given = asked[: query.limit]
    if len(asked) == len(given):
        return Page(given, None)
    return Page(given, cursor.write(query.identity, _position(given[-1], query)))


def rows(data_set_id: int, query: Query, *, most: int | None = None) -> Iterator[Row]:
    """Yield the records in their order, from the cursor on; with `most` no more than that many are wanted."""
    most = query.limit if most is None else most
    records = selected.records(data_set_id, query, query.start_at, query.end_at, inclusive=query.inclusive)
    key = query.sort.key if query.sort else "_timestamp"
    if key in {"_timestamp", "_id"}:
        return _by_index(records, key, query, most)
    passing = selected.rows(records)
    return iter(_by_field(passing, query, most))


def _by_index(records: QuerySet[Record], key: str, query: Query, most: int | None) -> Iterator[Row]:
    after = query.after
    size = _EXPORTED if most is None else most
    while True:
        block = list(selected.rows(_following(records, key, query, after)[:size]))
        yield from block
        if most is not None or len(block) < size:
            return
        after = _position(block[-1], query)


def _following(records: QuerySet[Record], key: str, query: Query, after: Position | None) -> QuerySet[Record]:
    is_falling = query.sort is not None and query.sort.descending
    beyond, sign = ("lt", "-") if is_falling else ("gt", "")
    if key == "_id":
        if after is not None:
            records = records.filter(**{f"record_id__{beyond}": after.record_id})
        return records.order_by(f"{sign}record_id")
    if after is not None:
        # The first condition is implied by the second; it is the one an index can start at.
        records = records.filter(**{f"timestamp__{beyond}e": after.timestamp})
        later = Q(**{f"timestamp__{beyond}": after.timestamp})
        records = records.filter(later | Q(**{f"record_id__{beyond}": after.record_id}))
    return records.order_by(f"{sign}timestamp", f"{sign}record_id")


def _by_field(passing: Iterator[Row], query: Query, most: int | None) -> list[Row]:
    """Sort by one field, ties by time and `_id` in the same direction; what has no order comes last both ways."""
    is_falling = query.sort is not None and query.sort.descending

    def place(position: Position) -> Any:
        is_last = values.is_last(position.value)
        leading = not is_last if is_falling else is_last
        return (leading, values.order(position.value), position.timestamp, position.record_id)

    keyed = ((place(_position(row, query)), row) for row in passing)
    if query.after is not None:
        border = place(query.after)
        keyed = ((at, row) for at, row in keyed if (at < border if is_falling else at > border))
    if most is None:
        return [row for _, row in sorted(keyed, key=_first, reverse=is_falling)]
    choose = heapq.nlargest if is_falling else heapq.nsmallest
    return [row for _, row in choose(most, keyed, key=_first)]


def _first(pair: tuple[Any, Row]) -> Any:
    return pair[0]


def _position(row: Row, query: Query) -> Position:
    return Position(_sort_value(row, query), row.timestamp, row.record_id)


def _sort_value(row: Row, query: Query) -> Any:
    """Return what the record is sorted by besides time and `_id`, as a cursor can hold it."""
    if query.sort is None or query.sort.key in {"_timestamp", "_id"}:
        return None
    instants = {"_start_at": row.start_at, "_end_at": row.end_at, "_updated_at": row.updated_at}
    if query.sort.key in instants:
        instant = instants[query.sort.key]
        # With six digits always, texts are in the order of the instants.
        return None if instant is None else moments.write(instant.replace(microsecond=0)) + f"{instant.microsecond:06}"
    value = row.fields().get(query.sort.key)
    as_number = values.number(value)
    if as_number is None:
        return value if isinstance(value, str | bool) else None
    return as_number if isfinite(as_number) else _BEYOND if as_number > 0 else -_BEYOND
