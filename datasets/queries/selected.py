"""The records a query is about: its range in SQL, by index; its filters on each record as it comes by.

Source: Data Set contract §11 (which records).
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from datasets.models import Record
from datasets.queries import values
from datasets.queries.query import Filter, Query

COLUMNS = ("record_id", "timestamp", "start_at", "end_at", "body", "updated_at")
_AT_ONCE = 2_000  # rows fetched from the database at a time


class Row(NamedTuple):
    """One stored record; `fields` reads the caller's own fields out of the body."""

    record_id: str
    timestamp: datetime
    start_at: datetime | None
    end_at: datetime | None
    body: str
    updated_at: datetime

    def fields(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


def in_range(
    data_set_id: int, start_at: datetime | None, end_at: datetime | None, *, inclusive: bool
) -> QuerySet[Record]:
    records = Record.objects.filter(data_set_id=data_set_id)
    if start_at is not None:
        records = records.filter(timestamp__gte=start_at)
    if end_at is not None:
        end = {"timestamp__lte" if inclusive else "timestamp__lt": end_at}
        records = records.filter(**end)
    return records


def counted(records: QuerySet[Record], query: Query) -> Iterator[tuple[datetime | None, dict[str, Any]]]:
    """Stream the moment, where the query is by period, and the own fields of those that pass every filter.

    Columns nobody asks for are not fetched: reading two moments costs more than parsing a small record.
    """
    if any(one.name.startswith("_") for one in query.filters):
        yield from ((row.timestamp, row.fields()) for row in rows(records, query))
        return
    columns = ("timestamp", "body") if query.period is not None else ("body",)
    for found in records.values_list(*columns).iterator(chunk_size=_AT_ONCE):
        own = json.loads(found[-1])
        if all(one.name in own and _equals(own[one.name], one) for one in query.filters):
            yield (found[0] if query.period is not None else None), own


def rows(records: QuerySet[Record], query: Query) -> Iterator[Row]:
    """Stream those that pass every filter, in the order of the given records."""
    for found in records.values_list(*COLUMNS).iterator(chunk_size=_AT_ONCE):
        row = Row(*found)
        if not query.filters or _passes(row, query.filters):
            yield row


def _passes(row: Row, filters: tuple[Filter, ...]) -> bool:
    own = row.fields() if any(not one.name.startswith("_") for one in filters) else {}
    return all(_holds(row, one, own) for one in filters)


def _holds(row: Row, one: Filter, own: dict[str, Any]) -> bool:
    if one.moment is not None:
        instants = {"_timestamp": row.timestamp, "_start_at": row.start_at, "_end_at": row.end_at}
        return instants[one.name] == one.moment
    if one.name != "_id" and one.name not in own:
        return False
    return _equals(row.record_id if one.name == "_id" else own[one.name], one)


def _equals(value: object, one: Filter) -> bool:
    if one.is_prefix:
        return isinstance(value, str) and value.startswith(one.value)
    return values.matches(value, one.value)
