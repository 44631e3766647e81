"""Split the range of a query at the segments of its data set, so that each built segment is read from its file."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from datasets.models import DataSet, Segment
from datasets.queries.query import Query
from datasets.queries.time_range import Range

Span = TypeVar("Span", Range, Query)


def parts(data_set: DataSet, query: Query) -> Iterator[tuple[Query, Segment | None]]:
    """Yield the query of each part in order of time, with its segment if all of it is in the range and it is built."""
    segments = list(Segment.objects.filter(store_id=data_set.store_id).order_by("starts_at"))
    for segment in segments:
        if _overlaps(segment, query):
            is_file = segment.is_built and _is_within(segment, query)
            yield narrowed(query, segment.starts_at, segment.ends_at), segment if is_file else None
    until = segments[-1].ends_at if segments else None  # not `columns_until`, which may be of another moment
    if until is None:
        yield query, None
    elif query.end_at is None or query.end_at >= until:
        yield narrowed(query, until, None), None


def _overlaps(segment: Segment, query: Query) -> bool:
    begins = query.end_at is None or segment.starts_at <= query.end_at
    return begins and (query.start_at is None or segment.ends_at > query.start_at)


def _is_within(segment: Segment, query: Query) -> bool:
    begins = query.start_at is None or query.start_at <= segment.starts_at
    return begins and (query.end_at is None or segment.ends_at <= query.end_at)


def narrowed(span: Span, start_at: datetime, end_at: datetime | None) -> Span:
    """Return the part of the range from `start_at` and before `end_at`."""
    start_at = start_at if span.start_at is None else max(start_at, span.start_at)
    if end_at is None or (span.end_at is not None and span.end_at < end_at):
        return replace(span, start_at=start_at)
    return replace(span, start_at=start_at, end_at=end_at, inclusive=False)
