"""Whole records, page by page in the order of time and `_id`. Source: Data Set contract §11.

A record is given back as text: the stored fields are JSON already and only the service's own are put around them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models import Q, QuerySet

from datasets.models import Record
from datasets.queries import cursor
from datasets.queries.parameters import Query
from datasets.records import moments

_COLUMNS = ("record_id", "timestamp", "start_at", "end_at", "body", "updated_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: each record as JSON text, and the cursor of the next page if there is one."""

    records: list[str]
    next_cursor: str | None


def page(data_set_id: int, query: Query) -> Page:
    """Return up to `limit` records after the cursor, found by key: no page costs more than the first."""
    asked = list(_selected(data_set_id, query).values_list(*_COLUMNS)[: query.limit + 1])
    given = asked[: query.limit]
    next_cursor = None
    if len(asked) > query.limit:
        record_id, timestamp = given[-1][:2]
        next_cursor = cursor.write(query.identity, cursor.Position(timestamp, record_id))
    return Page(records=[write_record(*row) for row in given], next_cursor=next_cursor)


def _selected(data_set_id: int, query: Query) -> QuerySet[Record]:
    records = Record.objects.filter(data_set_id=data_set_id).order_by("timestamp", "record_id")
    if query.start_at is not None:
        records = records.filter(timestamp__gte=query.start_at)
    if query.end_at is not None:
        end = {"timestamp__lte" if query.inclusive else "timestamp__lt": query.end_at}
        records = records.filter(**end)
    if query.after is not None:
        timestamp, record_id = query.after
        # The first condition is implied by the second; it is the one an index can start at.
        records = records.filter(timestamp__gte=timestamp)
        records = records.filter(Q(timestamp__gt=timestamp) | Q(record_id__gt=record_id))
    return records


def write_record(
    record_id: str,
    timestamp: datetime,
    start_at: datetime | None,
    end_at: datetime | None,
    body: str,
    updated_at: datetime,
) -> str:
    """Return one whole record as JSON text: `_id`, the moments, the caller's fields, then the seven computed ones."""
    return "".join(_parts(record_id, timestamp, start_at, end_at, body, updated_at))


def _parts(
    record_id: str,
    timestamp: datetime,
    start_at: datetime | None,
    end_at: datetime | None,
    body: str,
    updated_at: datetime,
) -> Iterator[str]:
    yield f'{{"_id":{json.dumps(record_id, ensure_ascii=False)},"_timestamp":"{moments.write(timestamp)}"'
    if start_at is not None:
        yield f',"_start_at":"{moments.write(start_at)}"'
    if end_at is not None:
        yield f',"_end_at":"{moments.write(end_at)}"'
    if body != "{}":
        yield "," + body[1:-1]
    yield f',"_updated_at":"{moments.write(updated_at)}",'
    yield _period_fields(timestamp.replace(minute=0, second=0, microsecond=0))
    yield "}"


@lru_cache(maxsize=4096)
def _period_fields(hour: datetime) -> str:
    starts = moments.period_starts(hour)
    return ",".join(f'"_{period}_start_at":"{moments.write(start)}"' for period, start in starts.items())
