"""Read whole records in order of time, `_id` or one field. Source: docs/reference/data-sets.md §11 (raw).

By time or `_id`, an index returns the records in order. An export reads one page after the other, so it has one page in
memory and no open statement while a slow client reads. In any other order, the database sorts all records of the range.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from config.databases import keyset
from datasets import errors
from datasets.models import Record
from datasets.queries import cursor, selected, sorting, stored, values, written
from datasets.queries.column_files.positions import RecordPlace
from datasets.queries.cursor import LongText, Position
from datasets.queries.query import Query
from datasets.queries.selected import Row
from datasets.records import moments

_EXPORTED = 2_000  # records of an export in memory
_NAMES_PAGE = 20_000  # records whose field names one statement collects in about 50 ms
_LONG = 500  # characters; longer texts may not fit into the URL of the next page
_BEYOND = 10**309  # infinity in a cursor, because JSON has none
_INSTANTS = {"_start_at": "start_at", "_end_at": "end_at", "_updated_at": "updated_at"}
_SECONDS = len("2024-01-01T00:00:00Z")


class Page:
    """Up to `limit` records after the cursor. The page is found by key, without OFFSET.

    places: where the records of the page and one more are, if column files have found them
    rows: can be read once; next_cursor: that of the next page or None, known after the last row
    """

    def __init__(self, store_id: int, query: Query, places: Sequence[RecordPlace] | None = None) -> None:
        assert query.limit is not None  # noqa: S101  a raw JSON read has its default
        self.next_cursor: str | None = None
        self.rows = self._read(_found(store_id, query, query.limit + 1, places), query, query.limit)

    def _read(self, found: Iterator[Row | None], query: Query, limit: int) -> Iterator[Row]:
        last: Row | None = None
        for row in islice(found, limit):
            if row is not None:
                yield row
                last = row
        for _ in found:
            if last is not None:
                self.next_cursor = cursor.write(query.identity, _position(last, query))


def rows(store_id: int, query: Query, places: Sequence[RecordPlace] | None = None) -> Iterator[Row]:
    """Yield the records in order, after the cursor, up to the limit. places: as in `Page`"""
    return (row for row in _found(store_id, query, query.limit, places) if row is not None)


def _found(
    store_id: int, query: Query, most: int | None, places: Sequence[RecordPlace] | None = None
) -> Iterator[Row | None]:
    """Yield up to `most` records, and None for a record that was deleted during the read."""
    if places is not None:
        return _at(store_id, places)
    records = selected.records(store_id, query, query.start_at, query.end_at, inclusive=query.inclusive)
    key = query.sort.key if query.sort else "_timestamp"
    if key in {"_timestamp", "_id"}:
        return _by_index(store_id, records, key, query, most)
    is_falling = query.sort is not None and query.sort.descending
    if key in _INSTANTS:
        return selected.rows(store_id, _by_instant(records, key, query)[:most])
    after = query.after
    if after is not None and isinstance(after.value, LongText):
        after = after._replace(value=_text_of(records, store_id, key, after))
    return sorting.by_field(store_id, records, key, falling=is_falling, after=after, most=most)


def _at(store_id: int, places: Sequence[RecordPlace]) -> Iterator[Row | None]:
    """Yield the records of these places in their order, read by key."""
    for first in range(0, len(places), _EXPORTED):
        some = places[first : first + _EXPORTED]
        records = Record.objects.filter(store_id=store_id, record_id__in=[place.record_id for place in some])
        found = {row.record_id: row for row in selected.rows(store_id, records.order_by()) if row is not None}
        yield from (found.get(place.record_id) for place in some)


def field_names(store_id: int, query: Query) -> Iterator[str]:
    """Yield the names of all fields of a query without a limit, each at least once, for the header of a CSV.

    This reads all bodies once more. A field that appears only after this read gets no column.
    """
    is_first = True
    for records in _pages(store_id, query):
        held = records.aggregate(any=Count("*"), _start_at=Count("start_at"), _end_at=Count("end_at"))
        if held.pop("any"):
            yield from written.EVERYWHERE if is_first else ()
            yield from (name for name, count in held.items() if count)
            yield from stored.field_names(records)
            is_first = False


def _pages(store_id: int, query: Query) -> Iterator[QuerySet[Record]]:
    """Split the records of a query into pages, each for one short statement."""
    found, in_range = (
        selected.records(store_id, one, query.start_at, query.end_at, inclusive=query.inclusive)
        for one in (query, replace(query, filters=(), where=None))
    )
    by_time = replace(query, sort=None)
    after: Position | None = None
    while True:
        places = _following(in_range, "_timestamp", by_time, after).values_list("timestamp", "record_id")
        border = places[_NAMES_PAGE - 1 : _NAMES_PAGE].first()
        part = _following(found, "_timestamp", by_time, after).order_by()
        if border is None:
            yield part
            return
        timestamp, record_id = border
        earlier = Q(timestamp__lt=timestamp) | Q(record_id__lte=record_id)
        yield part.filter(earlier, timestamp__lte=timestamp)
        after = Position(None, timestamp, record_id)


def _by_index(
    store_id: int, records: QuerySet[Record], key: str, query: Query, most: int | None
) -> Iterator[Row | None]:
    after = query.after
    size = _EXPORTED if most is None else most
    while True:
        last, number = None, 0
        for row in selected.rows(store_id, _following(records, key, query, after)[:size]):
            yield row
            number, last = number + 1, row or last
        if last is None or most is not None or number < size:
            return
        after = _position(last, query)


def _following(records: QuerySet[Record], key: str, query: Query, after: Position | None) -> QuerySet[Record]:
    is_falling = query.sort is not None and query.sort.descending
    beyond, sign = ("lt", "-") if is_falling else ("gt", "")
    if key == "_id":
        if after is not None:
            records = records.filter(**{f"record_id__{beyond}": after.record_id})
        return records.order_by(f"{sign}record_id")
    if after is not None:
        further = keyset.below if is_falling else keyset.above
        records = records.filter(further(after.timestamp, after.record_id, fields=("timestamp", "record_id")))
    return records.order_by(f"{sign}timestamp", f"{sign}record_id")


def _by_instant(records: QuerySet[Record], key: str, query: Query) -> QuerySet[Record]:
    """Sort by a moment, then by time and `_id`. Records without the moment are last in both directions."""
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
    return Position(_sort_value(row, query), moments.parse(row.timestamp), row.record_id)


def _sort_value(row: Row, query: Query) -> Any:
    """Return the sort value of the record in the form of a cursor, None if it sorts by time or `_id` only."""
    if query.sort is None or query.sort.key in {"_timestamp", "_id"}:
        return None
    if query.sort.key in _INSTANTS:
        text = getattr(row, _INSTANTS[query.sort.key])
        instant = None if text is None else moments.parse(text)
        # Seconds and six more digits. Cursors do not expire, so their form must not change.
        return None if instant is None else moments.write(instant.replace(microsecond=0)) + f"{instant.microsecond:06}"
    value = row.fields().get(query.sort.key)
    as_number = values.number(value)
    if as_number is None:
        if isinstance(value, str) and len(value) > _LONG:
            return LongText.of(value)
        return value if isinstance(value, str | bool) else None
    return as_number if isfinite(as_number) else _BEYOND if as_number > 0 else -_BEYOND


def _text_of(records: QuerySet[Record], store_id: int, name: str, after: Position) -> str:
    """Return the long text at which a page ended. Raises InvalidQuery if its record was changed or deleted."""
    found = records.filter(record_id=after.record_id, timestamp=after.timestamp)
    value = next((row.fields().get(name) for row in selected.rows(store_id, found[:1]) if row), None)
    if not isinstance(value, str) or LongText.of(value) != after.value:
        raise errors.CursorForeign
    return value


def _read_instant(value: Any) -> Any:
    """Return the instant of a cursor. Raises InvalidQuery if it is malformed."""
    try:
        seconds, digits = value[:_SECONDS], value[_SECONDS:]
        return moments.parse(f"{seconds[:-1]}.{digits}Z")
    except (TypeError, moments.NotAMoment) as error:
        raise errors.CursorForeign from error
