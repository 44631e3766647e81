"""Select the records of a query. Source: docs/reference/data-sets.md §11 (which records).

A page may have 10,000 records of 4 MiB. So a statement for many rows returns no long bodies but their lengths, and
the long ones are read a few at a time.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import starmap
from typing import Any, NamedTuple, Self

import msgspec
from django.db.models import Case, QuerySet, TextField, When
from django.db.models.functions import Cast, Length
from django.db.models.lookups import LessThanOrEqual

from config.databases.streaming import streamed
from datasets.errors import NoSuchRecord
from datasets.models import DataSet, Record
from datasets.queries import filters, stored
from datasets.queries.query import Query
from datasets.queries.readers import Reader
from datasets.queries.where.databases import Passes
from datasets.records import moments

COLUMNS = ("record_id", "timestamp", "start_at", "end_at", "body", "updated_at")
SHORT = 4_000  # characters of a body that comes with its row
_AT_ONCE = 2_000  # rows fetched from the database at a time
_LONG_AT_ONCE = 100_000  # characters of long bodies in memory, or one body
_MOMENTS = ("timestamp", "start_at", "end_at", "updated_at")
_quick = msgspec.json.Decoder()  # takes a fifth of the time of `json`


class Row(NamedTuple):
    """One stored record. Its moments are texts as answers write them."""

    record_id: str
    timestamp: str
    start_at: str | None
    end_at: str | None
    body: str
    updated_at: str

    @classmethod
    def of(cls, record: Record) -> Self:
        start, end = (None if at is None else moments.write(at) for at in (record.start_at, record.end_at))
        timestamp, updated_at = moments.write(record.timestamp), moments.write(record.updated_at)
        return cls(record.record_id, timestamp, start, end, record.body, updated_at)

    def fields(self) -> dict[str, Any]:
        """Parse the caller's own fields from the body."""
        try:
            found: dict[str, Any] = _quick.decode(self.body)
        except (msgspec.MsgspecError, ValueError, RecursionError):  # also a number out of range, and a damaged body
            found = json.loads(self.body)
        return found


def records(
    store_id: int, query: Query, start_at: datetime | None, end_at: datetime | None, *, inclusive: bool
) -> QuerySet[Record]:
    """Return the records of the range that pass the filters and the condition, unordered."""
    found = Record.objects.filter(store_id=store_id).order_by()
    if start_at is not None:
        found = found.filter(timestamp__gte=start_at)
    if end_at is not None:
        end = {"timestamp__lte" if inclusive else "timestamp__lt": end_at}
        found = found.filter(**end)
    return filters.passing(found, query)


def readable(data_set: DataSet, reader: Reader) -> QuerySet[Record]:
    """Return the records of a data set that may be read."""
    own = reader.condition
    if own is None:
        return data_set.records
    stored.prepare()
    return data_set.records.filter(Passes(own))


def one(data_set: DataSet, record_id: str, reader: Reader) -> Record:
    """Return the record. Raises NoSuchRecord, also for a record that may not be read."""
    found = readable(data_set, reader).filter(record_id=record_id).first()
    if found is None:
        raise NoSuchRecord
    return found


def rows(store_id: int, found: QuerySet[Record]) -> Iterator[Row | None]:
    """Stream the rows of a store in order, as `whole` does.

    Moments and lengths are read as text, because to convert them took two thirds of the time of an export.
    """
    body = Cast("body", TextField())
    length = Length(body)
    short = Case(When(LessThanOrEqual(length, SHORT), then=body), output_field=TextField())
    columns = _with_moments(found.annotate(length=Cast(length, TextField()), short=short), "short", "length")
    # A slice is one page. A server-side cursor would need two more statements, and a plan for all rows.
    read = columns if found.query.is_sliced else streamed(columns, chunk_size=_AT_ONCE)
    return whole(store_id, ((_row(*row), length) for *row, length in read))


def whole(store_id: int, read: Iterable[tuple[Row, str]]) -> Iterator[Row | None]:
    """Yield the rows with their bodies. A long record that was deleted meanwhile is None, so that callers can count.

    read: each row, and the length of its body as text; a long body is None
    """
    waiting: list[Row] = []
    characters = 0
    for row, length_text in read:
        if row.body is not None and not waiting:
            yield row
            continue
        length = int(length_text)
        if waiting and characters + length > _LONG_AT_ONCE:
            yield from _with_bodies(store_id, waiting)
            waiting, characters = [], 0
        waiting.append(row)
        characters += length
    yield from _with_bodies(store_id, waiting)


def _with_bodies(store_id: int, waiting: list[Row]) -> Iterator[Row | None]:
    ids = [row.record_id for row in waiting if row.body is None]
    again = {}
    if ids:
        records = Record.objects.filter(store_id=store_id, record_id__in=ids).order_by()
        again = {row.record_id: row for row in starmap(_row, _with_moments(records, "body"))}
    for row in waiting:
        yield again.pop(row.record_id, None) if row.body is None else row


def _with_moments(records: QuerySet[Record], *columns: str) -> QuerySet[Record, Any]:
    texts = {f"{name}_text": Cast(name, TextField()) for name in _MOMENTS}
    first, *others = columns
    return records.annotate(**texts).values_list("record_id", first, *texts, *others)


def _row(record_id: str, body: str, timestamp: str, start_at: str | None, end_at: str | None, updated_at: str) -> Row:
    start = None if start_at is None else _moment(start_at)
    end = None if end_at is None else _moment(end_at)
    return Row(record_id, _moment(timestamp), start, end, body, _moment(updated_at))


def _moment(text: str) -> str:
    """Return a moment in UTC as answers write it.

    text: as PostgreSQL writes it, without zeros at the end of a fraction, or as SQLite stores it

    >>> _moment("2024-01-01 00:00:00+00"), _moment("2024-01-01 00:00:00.5+00"), _moment("2024-01-01 00:00:00.500000")
    ('2024-01-01T00:00:00Z', '2024-01-01T00:00:00.500000Z', '2024-01-01T00:00:00.500000Z')
    """
    fraction = text[19:].removesuffix("+00")
    return f"{text[:10]}T{text[11:19]}{fraction and fraction.ljust(7, '0')}Z"
