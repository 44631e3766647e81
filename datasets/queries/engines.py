"""Choose what answers a read: the row store, or the query process over column files.

Source: docs/reference/column-files.md §5.
"""

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from django.db import OperationalError
from django.db.models import Max, Min

from config.databases import outage
from config.metrics import registry
from datasets import errors
from datasets.columns import files
from datasets.models import DataSet
from datasets.queries import comparison, counting, groups, local_time, moving, periods, raw, selected
from datasets.queries.column_files import process, reading
from datasets.queries.column_files.positions import OWN, RecordPlace
from datasets.queries.column_files.reading import ColumnAnswer
from datasets.queries.cursor import LongText
from datasets.queries.local_time import TIME_PARTS, Shift
from datasets.queries.periods import Window
from datasets.queries.query import Query
from datasets.queries.selected import Row
from datasets.queries.time_range import Range

_BUILDING_SECONDS = 60


def grouped(data_set: DataSet, query: Query, *, now: datetime, max_rows: int) -> list[dict[str, Any]]:
    """Return the rows of a grouped read, a read by period, or totals. Raises InvalidQuery, Busy."""
    window = periods.window(query, query.period, now=now, max_rows=max_rows) if query.period else None
    found = _groups(data_set, query, window, max_rows)
    if query.moving is not None:
        keys = ["_count", *(key for one in query.collect for key in one.keys)]
        for group in found:
            moving.add_means(group.series, keys, query.moving)
    if query.compare is not None:
        earlier = comparison.earlier(query, window, now=now, max_rows=max_rows)
        keys_found = {group.key for group in found}
        before = earlier and _groups(data_set, earlier.query, earlier.window, 2 * max_rows, keys_found)
        comparison.add_previous(found, query, earlier, before or [])
    return groups.shaped(found, query)


def _groups(
    data_set: DataSet,
    query: Query,
    window: Window | None,
    max_rows: int,
    only: Collection[groups.Key] | None = None,
) -> list[groups.GroupRow]:
    chosen = window or query
    span = Range(start_at=chosen.start_at, end_at=chosen.end_at, inclusive=chosen.inclusive)
    part_shift = _part_shift(data_set, query, span)
    if data_set.columns_until is None:
        return _from_row_store(data_set, query, window, part_shift, max_rows, only)
    grouping = process.Grouping(window=window, part_shift=part_shift, max_rows=max_rows, only=only)
    answer = reading.answer(process.grouped, data_set, query, span, query.grouped_fields(), grouping)
    if answer.result is not None:
        found: list[groups.GroupRow] = answer.result
        return found
    with _row_store(answer):
        return _from_row_store(data_set, query, window, part_shift, max_rows, only)


def _from_row_store(
    data_set: DataSet,
    query: Query,
    window: Window | None,
    part_shift: Shift,
    max_rows: int,
    only: Collection[groups.Key] | None,
) -> list[groups.GroupRow]:
    span = window or query
    records = selected.records(data_set.store_id, query, span.start_at, span.end_at, inclusive=span.inclusive)
    counted = counting.count(records, query, period_shift=window.shift if window else (), part_shift=part_shift)
    return groups.rows(counted, query, window, max_rows=max_rows, only=only)


def _part_shift(data_set: DataSet, query: Query, span: Range) -> Shift:
    """Return the offsets of the time zone, if the query groups by a part of the local time."""
    if query.time_zone is None or not any(name in TIME_PARTS for name in query.group_by):
        return ()
    start_at, end_at = span.start_at, span.end_at
    if start_at is None or end_at is None:
        start_at, end_at = data_set.records.aggregate(least=Min("timestamp"), greatest=Max("timestamp")).values()
    if start_at is None or end_at is None:  # the data set is empty
        return ()
    return local_time.offsets(query.time_zone, start_at, end_at)


def page(data_set: DataSet, query: Query) -> raw.Page:
    """Return a page of a raw read. Raises InvalidQuery, Busy."""
    assert query.limit is not None  # noqa: S101  a raw JSON read has its default
    return raw.Page(data_set.store_id, query, _places(data_set, query, query.limit + 1))


def rows(data_set: DataSet, query: Query) -> Iterator[Row]:
    """Yield the records of a raw read, up to its limit if it has one. Raises InvalidQuery, Busy."""
    places = None if query.limit is None else _places(data_set, query, query.limit)
    return raw.rows(data_set.store_id, query, places)


def table(data_set: DataSet, query: Query) -> BinaryIO:
    """Return the records of a raw read as an open Parquet file, which ends with the last reader.

    Raises QueryTooLarge, Busy.
    """
    with tempfile.TemporaryDirectory(dir=files.cache_folder(), prefix="query-") as folder:
        path = Path(folder) / "table.parquet"
        reading.write_table(process.table, data_set, query, str(path))
        return path.open("rb")


def _places(data_set: DataSet, query: Query, most: int) -> Sequence[RecordPlace] | None:
    """Find the records of a raw read in column files. Return None if an index of the row store finds them."""
    if data_set.columns_until is None:
        return None
    key = query.sort.key if query.sort is not None else "_timestamp"
    own_key = [] if key in OWN else [key]
    is_of_columns = own_key or (query.has_field_condition and key in {"_timestamp", "_id"})
    if not is_of_columns or (query.after is not None and isinstance(query.after.value, LongText)):
        return None
    span = Range(start_at=query.start_at, end_at=query.end_at, inclusive=query.inclusive)
    places: Sequence[RecordPlace] | None = reading.answer(process.places, data_set, query, span, own_key, most).result
    return places


@contextmanager
def _row_store(answer: ColumnAnswer) -> Iterator[None]:
    """Count the query, and raise BeingBuilt if it takes too long only until the column files are built."""
    try:
        yield
    except OperationalError as error:
        if not outage.is_out_of_time(error):
            raise
        registry.QUERIES.add("row_store", "too_large")
        if answer.is_being_built:
            raise errors.BeingBuilt(seconds=_BUILDING_SECONDS) from error
        raise
    registry.QUERIES.add("row_store", "answered")
