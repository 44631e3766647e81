"""Cut the records of large data sets into segments, and build the column files of open segments.

The builder takes no lock that a writer waits for: it reads a snapshot, and names the file only if nobody has changed
the segment since. Source: docs/reference/column-files.md §3.
"""

import json
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import structlog
from django.conf import settings
from django.db import transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast, Now
from django.utils import timezone

from config import limited
from config.databases.snapshot import snapshot
from config.databases.streaming import streamed
from config.metrics import registry
from datasets.columns import duckdb, files, layout
from datasets.models import EARLIEST, DataSet, Record, Segment

IDLE = timedelta(minutes=1)  # since the last write
LONGEST_OPEN = timedelta(minutes=10)
_SINCE, _UPGRADE = "0003_column_files", timedelta(hours=1)
_MIB = 1024 * 1024
MEMORY_MB = 100  # of DuckDB
LIMITS = limited.ProcessLimits(memory_bytes=2048 * _MIB, cpu_seconds=120, seconds=300)
_AT_ONCE = 2_000  # rows fetched at a time
_SMALL_SHARE = 10  # fewer records than a segment's by this factor are read from the row store
_MOMENTS = ("timestamp", "start_at", "end_at", "updated_at")

log = structlog.get_logger()


class Cut(NamedTuple):
    """The end of a new segment and the number of its records."""

    until: datetime
    records: int


def build_due(seconds: float, *, wait: bool = True) -> int:
    """Cut and build what is due, until nothing is left or the time is used up. Return the number of files built.

    wait: leave alone what somebody has written to within IDLE
    """
    ends_at = time.monotonic() + seconds
    built = 0
    for data_set in _large().order_by("pk"):
        built += build(data_set, seconds=ends_at - time.monotonic(), wait=wait)
    return built


def may_begin() -> bool:
    """Return whether an upgrade is over: processes of a version without segments would not open those they change."""
    applied = MigrationRecorder.Migration.objects.filter(app="datasets", name=_SINCE, applied__lt=Now() - _UPGRADE)
    return applied.exists()


def build(data_set: DataSet, *, seconds: float, wait: bool = True) -> int:
    """Cut and build what is due of one data set, as `build_due` does."""
    ends_at = time.monotonic() + seconds
    built = 0
    while time.monotonic() < ends_at:
        segment = _due(data_set.store_id, wait=wait).first() or _cut(data_set, wait=wait)
        if segment is None:
            break
        built += _build_one(segment)
    return built


def drop(data_set: DataSet) -> None:
    """Forget all segments of a data set: its answers come from the row store until they are built again."""
    with transaction.atomic():
        DataSet.objects.filter(pk=data_set.pk).update(columns_until=None)
        Segment.objects.filter(store_id=data_set.store_id).delete()


def _large() -> QuerySet[DataSet]:
    return DataSet.objects.filter(record_count__gte=settings.COLUMNS_FROM_RECORDS) | DataSet.objects.exclude(
        columns_until=None
    )


def _due(store_id: int, *, wait: bool) -> QuerySet[Segment]:
    found = Segment.objects.filter(store_id=store_id, is_built=False).order_by("starts_at")
    if wait:
        found = found.filter(Q(changed_at__lt=Now() - IDLE) | Q(opened_at__lt=Now() - LONGEST_OPEN))
    return found


def _cut(data_set: DataSet, *, wait: bool) -> Segment | None:
    """Make a segment of the oldest records that are in none, or return None if there are too few.

    A small last segment is extended instead, so that a data set that is written now and then has few files. A writer
    that holds the lock of the data set ends before the border moves, so it does not miss the new segment.
    """
    found = DataSet.objects.get(pk=data_set.pk)
    if found.columns_until is None and found.record_count < settings.COLUMNS_FROM_RECORDS:
        return None
    store_id, start = found.store_id, found.columns_until or EARLIEST
    cut = _next_cut(found, start, wait=wait)
    if cut is None:
        return None
    with transaction.atomic():
        unmoved = DataSet.objects.filter(
            pk=found.pk, columns_until=found.columns_until, current_store=found.current_store
        )
        if not unmoved.update(columns_until=cut.until):
            return None
        last = Segment.objects.filter(store_id=store_id, ends_at=start).first()
        if last is None or last.records + cut.records > settings.COLUMNS_SEGMENT_RECORDS:
            return Segment.objects.create(store_id=store_id, starts_at=start, ends_at=cut.until, records=cut.records)
        Segment.objects.filter(pk=last.pk).note_change()
        Segment.objects.filter(pk=last.pk).update(ends_at=cut.until, records=last.records + cut.records)
        return last


def _next_cut(data_set: DataSet, start: datetime, *, wait: bool) -> Cut | None:
    most = settings.COLUMNS_SEGMENT_RECORDS
    in_time = Record.objects.filter(store_id=data_set.store_id, timestamp__gte=start).order_by("timestamp", "record_id")
    moments = in_time.values_list("timestamp", flat=True)
    border = moments[most - 1 : most].first()
    if border is not None:
        until = border.replace(microsecond=0)
        until = until if until > start else _next_second(until)
        return Cut(until, most) if until > start else None
    last_write = data_set.last_write_at
    if wait and last_write is not None and timezone.now() - last_write < IDLE:
        # A data set that is written all the time: 100 records a second would leave up to 250,000 in no segment.
        moments = moments.filter(timestamp__lt=timezone.now() - IDLE)
    last, number = moments.last(), moments.count()
    if last is None or number * _SMALL_SHARE < most:
        return None
    until = _next_second(last.replace(microsecond=0))
    return Cut(until, number) if until > start else None


def _next_second(moment: datetime) -> datetime:
    """Return the next second, or the last one of the year 9999: records of that second are in no segment."""
    try:
        return moment + timedelta(seconds=1)
    except OverflowError:
        return moment


def _build_one(segment: Segment) -> int:
    """Build the file of a segment. Return 0 if somebody changed its records meanwhile: it is built again later."""
    with tempfile.TemporaryDirectory(dir=files.cache_folder(), prefix="building-") as folder:
        lines, target = Path(folder) / "lines.json", Path(folder) / "segment.parquet"
        with snapshot():
            seen = Segment.objects.filter(pk=segment.pk).first()
            if seen is None:
                return 0
            writer = write_lines(seen, lines)
        name, size, columns = "", 0, tuple(sorted(writer.columns))
        if writer.lines:
            limited.run(duckdb.write_file, str(lines), columns, writer.longest, str(target), MEMORY_MB, limits=LIMITS)
            size = target.stat().st_size
            name = files.save(target, seen.store_id)
    unchanged = Segment.objects.filter(pk=seen.pk, version=seen.version, is_built=False)
    is_current = unchanged.update(is_built=True, file=name, columns=columns, records=writer.lines, size_bytes=size)
    registry.COLUMN_FILES.add("built" if is_current else "outdated")
    log.info("columns.built", segment=seen.pk, records=writer.lines, size_bytes=size, is_current=bool(is_current))
    return is_current


def write_lines(segment: Segment, path: Path) -> layout.Writer:
    """Write the records of the segment as lines, and return the writer of these."""
    writer = layout.Writer()
    with path.open("wb") as file:
        for line in all_lines(records_of(segment), writer):
            file.write(line)
    return writer


def records_of(segment: Segment) -> QuerySet[Record]:
    """Return the records of the segment in the row store, unordered."""
    return Record.objects.filter(
        store_id=segment.store_id, timestamp__gte=segment.starts_at, timestamp__lt=segment.ends_at
    ).order_by()


def all_lines(records: QuerySet[Record], writer: layout.Writer) -> Iterator[bytes]:
    """Yield a line with all fields of each record."""
    moments = {f"{name}_text": Cast(name, TextField()) for name in _MOMENTS}
    rows = records.annotate(**moments).values_list("record_id", *moments, "body")
    for record_id, timestamp, start_at, end_at, updated_at, body in streamed(rows, chunk_size=_AT_ONCE):
        own = {"_id": record_id, "_timestamp": timestamp, "_updated_at": updated_at}
        if start_at is not None:
            own["_start_at"] = start_at
        if end_at is not None:
            own["_end_at"] = end_at
        yield writer.line(own, json.loads(body).items())
