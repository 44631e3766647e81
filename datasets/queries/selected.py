"""Select the records of a query. Source: docs/reference/data-sets.md §11 (which records)."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import starmap
from typing import Any, NamedTuple

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from config.databases.streaming import streamed
from datasets.models import Record
from datasets.queries import filters
from datasets.queries.query import Query

COLUMNS = ("record_id", "timestamp", "start_at", "end_at", "body", "updated_at")
_AT_ONCE = 2_000  # rows fetched from the database at a time


class Row(NamedTuple):
    """One stored record."""

    record_id: str
    timestamp: datetime
    start_at: datetime | None
    end_at: datetime | None
    body: str
    updated_at: datetime

    def fields(self) -> dict[str, Any]:
        """Parse the caller's own fields from the body."""
        found: dict[str, Any] = json.loads(self.body)
        return found


def records(
    store_id: int, query: Query, start_at: datetime | None, end_at: datetime | None, *, inclusive: bool
) -> QuerySet[Record]:
    """Return the records of the range that pass the filters, unordered."""
    found = Record.objects.filter(store_id=store_id).order_by()
    if start_at is not None:
        found = found.filter(timestamp__gte=start_at)
    if end_at is not None:
        end = {"timestamp__lte" if inclusive else "timestamp__lt": end_at}
        found = found.filter(**end)
    return filters.passing(found, query.filters)


def rows(found: QuerySet[Record]) -> Iterator[Row]:
    """Stream the rows in order.

    Moments are read as text, because Django's conversion takes ten times as long: half of the time of an export.
    """
    moments = ("timestamp", "start_at", "end_at", "updated_at")
    texts = {f"{name}_text": Cast(name, TextField()) for name in moments}
    columns = found.annotate(**texts).values_list("record_id", "body", *texts)
    # A slice is one page. A server-side cursor would need two more statements, and a plan for all rows.
    return starmap(_row, columns if found.query.is_sliced else streamed(columns, chunk_size=_AT_ONCE))


def _row(record_id: str, body: str, timestamp: str, start_at: str | None, end_at: str | None, updated_at: str) -> Row:
    start, end = (None if at is None else _moment(at) for at in (start_at, end_at))
    return Row(record_id, _moment(timestamp), start, end, body, _moment(updated_at))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
