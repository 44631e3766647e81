"""Whole records, in the order of time and `_id` or of one field. Source: Data Set contract §11 (raw).

In the order of time, or of `_id`, records come sorted from an index: a page begins at its place there, and an export is
one such page after the other, so it holds no more than one in memory and no statement or snapshot open while a slow
reader reads. In another order the database sorts the records of the range, for a page and for an export alike.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import isfinite
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet

from datasets.errors import QueryRefused
from datasets.models import Record
from datasets.queries import cursor, selected, sorting, stored, values, written
from datasets.queries.cursor import LongText, Position
from datasets.queries.query import Query
from datasets.queries.selected import Row
from datasets.records import moments

_EXPORTED = 2_000  # records of an export in memory at a time
_STRETCH = 20_000  # records whose names are gathered in one statement: some 50 ms
_LONG = 500  # characters of a text; four times as many bytes, in base64 and beside an `_id`, still fit into a URL
_BEYOND = 10**309  # stands in a cursor for a number that is no double: JSON has no word for infinity
_INSTANTS = {"_start_at": "start_at", "_end_at": "end_at", "_updated_at": "updated_at"}
_SECONDS = len("2024-01-01T00:00:00Z")


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
    is_falling = query.sort is not None and query.sort.descending
    if key in _INSTANTS:
        return selected.rows(_by_instant(records, key, query)[:most])
    after = query.after
    if after is not None and isinstance(after.value, LongText):
        after = after._replace(value=_text_of(data_set_id, key, after))
    return sorting.by_field(records, key, falling=is_falling, after=after, most=most)


def field_names(data_set_id: int, query: Query) -> Iterator[str]:
    """Yield the names of all fields of the result, each at least once: the header of a CSV comes before its rows.

    One more reading of them all, of bodies alone. A name that is new in a record of between the two readings has no
    column.
    """
    if query.limit is not None:
        found = list(rows(data_set_id, query))
        yield from written.EVERYWHERE if found else ()
        yield from (name for row in found for name in written.names(row))
        return
    is_first = True
    for records in _stretches(data_set_id, query):
        held = records.aggregate(any=Count("*"), _start_at=Count("start_at"), _end_at=Count("end_at"))
        if held.pop("any"):
            yield from written.EVERYWHERE if is_first else ()
            yield from (name for name, count in held.items() if count)
            yield from stored.field_names(records)
            is_first = False


def _stretches(data_set_id: int, query: Query) -> Iterator[QuerySet[Record]]:
    """Cut the records of a query into parts that the database goes through in one short statement each."""
    found, in_range = (
        selected.records(data_set_id, one, query.start_at, query.end_at, inclusive=query.inclusive)
        for one in (query, replace(query, filters=()))
    )
    by_time = replace(query, sort=None)
    after: Position | None = None
    while True:
        places = _following(in_range, "_timestamp", by_time, after).values_list("timestamp", "record_id")
        border = places[_STRETCH - 1 : _STRETCH].first()
        part = _following(found, "_timestamp", by_time, after).order_by()
        if border is None:
            yield part
            return
        timestamp, record_id = border
        earlier = Q(timestamp__lt=timestamp) | Q(record_id__lte=record_id)
        yield part.filter(earlier, timestamp__lte=timestamp)
        after = Position(None, timestamp, record_id)


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


def _by_instant(records: QuerySet[Record], key: str, query: Query) -> QuerySet[Record]:
    """Sort by a moment, ties by time and `_id` in the same direction; records without it come last both ways."""
    is_falling = query.sort is not None and query.sort.descending
    beyond, sign = ("lt", "-") if is_falling else ("gt", "")
    column = _INSTANTS[key]
    if query.after is not None:
        after = query.after
        later = Q(**{f"timestamp__{beyond}": after.timestamp})
        tie = later | Q(timestamp=after.timestamp, **{f"record_id__{beyond}": after.record_id})
        if after.value is None:
            records = records.filter(tie, **{f"{column}__isnull": True})
        else:
            at = _read_instant(after.value)
            missing = Q(**{f"{column}__isnull": True})
            records = records.filter(Q(**{f"{column}__{beyond}": at}) | Q(tie, **{column: at}) | missing)
    order = F(column).desc(nulls_last=True) if is_falling else F(column).asc(nulls_last=True)
    return records.order_by(order, f"{sign}timestamp", f"{sign}record_id")


def _position(row: Row, query: Query) -> Position:
    return Position(_sort_value(row, query), row.timestamp, row.record_id)


def _sort_value(row: Row, query: Query) -> Any:
    """Return what the record is sorted by besides time and `_id`, as a cursor can hold it."""
    if query.sort is None or query.sort.key in {"_timestamp", "_id"}:
        return None
    if query.sort.key in _INSTANTS:
        instant = getattr(row, _INSTANTS[query.sort.key])
        # Whole seconds and six digits more: the form of all cursors so far, and they last for ever.
        return None if instant is None else moments.write(instant.replace(microsecond=0)) + f"{instant.microsecond:06}"
    value = row.fields().get(query.sort.key)
    as_number = values.number(value)
    if as_number is None:
        if isinstance(value, str) and len(value) > _LONG:
            return LongText.of(value)
        return value if isinstance(value, str | bool) else None
    return as_number if isfinite(as_number) else _BEYOND if as_number > 0 else -_BEYOND


def _text_of(data_set_id: int, name: str, after: Position) -> str:
    """Return the long text at which a page ended. Raises QueryRefused where its record is changed or gone."""
    found = Record.objects.filter(data_set_id=data_set_id, record_id=after.record_id, timestamp=after.timestamp)
    value = next((row.fields().get(name) for row in selected.rows(found[:1])), None)
    if not isinstance(value, str) or LongText.of(value) != after.value:
        raise QueryRefused("The cursor does not belong to this query.")
    return value


def _read_instant(value: Any) -> Any:
    """Raises QueryRefused for what is no such moment: cursors are not trusted."""
    try:
        seconds, digits = value[:_SECONDS], value[_SECONDS:]
        return moments.parse(f"{seconds[:-1]}.{digits}Z")
    except (TypeError, moments.NotAMoment) as error:
        raise QueryRefused("The cursor does not belong to this query.") from error
