"""Give a query to the query process, with the column files of its range and the records of open segments.

The list of segments and the open records come from one snapshot of the database, so that no file is combined with
rows that do not belong to it. Source: docs/reference/column-files.md §5.
"""

import json
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TextIO, TypeVar

import structlog
from django.conf import settings
from django.db.models import QuerySet, Sum, TextField
from django.db.models.functions import Cast

from config import limited
from config.databases import replica
from config.databases.snapshot import snapshot
from config.databases.streaming import streamed
from config.limited.child import Life
from config.metrics import registry
from config.web import leaving
from datasets import errors
from datasets.columns import files, layout
from datasets.columns.building import all_lines
from datasets.models import DataSet, Record, Segment
from datasets.queries import by_segment, selected, stored
from datasets.queries.column_files.process import FileVanished, Task
from datasets.queries.column_files.sources import Source
from datasets.queries.query import Query
from datasets.queries.time_range import Range

Result = TypeVar("Result")

_TRIES = 3  # a file may be damaged, or deleted between the list and the read
_MOST_OPEN = 1_000_000  # records; more are not copied for each query
_AT_ONCE = 2_000  # rows fetched at a time
_FEW = 100  # rows that are fetched without a cursor of the database, whose six statements take a millisecond
_PYTHON_MB = 112  # of the query process without DuckDB: 80 for interpreter and modules, and the rows of an answer
_RESERVED_MB = 2048  # address space without memory: stacks of threads, and what the allocator reserves
_WAIT_SECONDS = 5.0
# A query that waits keeps its thread, of which a web process has eight: twenty queries at once left none for writers. A
# browser asks for up to six tiles of a dashboard at once.
MOST_AT_ONCE = 6
_free = threading.BoundedSemaphore(MOST_AT_ONCE)
_LONGEST_SECONDS = 60.0  # of a table of all fields, and of a query if the database has no limit
_OF_DATA_SET = ("current_store", "columns_until", "record_count")
_OF_SEGMENTS = ("starts_at", "ends_at", "is_built", "file", "columns", "records")
_MOMENTS = {"timestamp": "_timestamp", "start_at": "_start_at", "end_at": "_end_at"}

log = structlog.get_logger()
_processes = limited.Processes(
    number=settings.QUERY_PROCESSES,
    life=Life(idle_seconds=600, most_calls=1_000, keeps_bytes=settings.QUERY_MEMORY_MB * limited.MIB),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAnswer:
    """What column files answered. result: None if the row store must answer

    is_being_built: whether the row store must answer only because too many segments are open
    """

    result: Any = None  # of any function of the query process
    is_being_built: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    built: list[Segment]
    open_ranges: list[Range]


def may_read() -> bool:
    """Return whether this process uses column files."""
    return bool(settings.COLUMNS) and files.has_cache()


def answer(
    function: Callable[..., Any],
    data_set: DataSet,
    query: Query,
    span: Range,
    fields: Iterable[str],
    *arguments: object,
) -> ColumnAnswer:
    """Run a function of `process` over the records of a range and return its result.

    fields: the names that the function uses besides those of the filters
    Raises InvalidQuery, Busy.
    """
    if not may_read():
        return ColumnAnswer()
    names = {*fields, *query.condition_fields()}
    limit = settings.DATABASE_STATEMENT_SECONDS or _LONGEST_SECONDS
    return _answer(function, data_set, query, span, names, *arguments, seconds=limit)


def write_table(function: Callable[..., Any], data_set: DataSet, query: Query, path: str) -> None:
    """Run a function of `process` that writes all fields of a raw read into a file. Raises QueryTooLarge, Busy.

    It also reads data sets without column files: all of their records count as open.
    """
    span = Range(start_at=query.start_at, end_at=query.end_at, inclusive=query.inclusive)
    answered = _answer(function, data_set, query, span, None, path, seconds=_LONGEST_SECONDS)
    if answered.result is None:
        raise errors.Busy


def _answer(
    function: Callable[..., Any],
    data_set: DataSet,
    query: Query,
    span: Range,
    names: set[str] | None,
    *arguments: object,
    seconds: float,
) -> ColumnAnswer:
    """names: the fields to read from open records; None: all, also of a data set that has no column files"""
    for _ in range(_TRIES):
        with ExitStack() as closing:
            with snapshot(replica.connection().alias):
                plan = _plan(data_set, span, is_table=names is None)
                if isinstance(plan, ColumnAnswer):
                    return plan
                open_lines = _write_open(data_set, query, plan.open_ranges, names, closing)
            sources = _sources(plan.built, open_lines)
            if sources is None:
                continue
            try:
                return ColumnAnswer(result=_run(function, _task(sources, query), *arguments, seconds=seconds))
            except FileVanished as error:
                log.warning("columns.unreadable", error=str(error))
                for segment in plan.built:
                    files.forget(segment.file)
    return ColumnAnswer()


def segment_file(
    function: Callable[..., Any], segment: Segment, query: Query, header: tuple[str, ...]
) -> TextIO | None:
    """Run a function of `process` that writes the records of a built segment as text, and return the open text.

    It ends with its last reader. Return None if the column file is damaged. Raises QueryTooLarge, Busy.
    """
    with tempfile.TemporaryDirectory(dir=files.cache_folder(), prefix="query-") as folder:
        path = Path(folder) / "text"
        sources = _sources([segment])
        if sources is None:
            return None
        try:
            _run(function, _task(sources, query), header, str(path), seconds=_LONGEST_SECONDS)
        except FileVanished as error:
            log.warning("columns.unreadable", error=str(error))
            files.forget(segment.file)
            return None
        return path.open(encoding="utf-8", newline="")


def _task(sources: tuple[Source, ...], query: Query) -> Task:
    memory_mb = settings.QUERY_MEMORY_MB - _PYTHON_MB
    return Task(sources=sources, query=query, folder=str(files.cache_folder()), memory_mb=memory_mb)


def _run(function: Callable[..., Result], *arguments: object, seconds: float) -> Result:
    limits = limited.ProcessLimits(
        memory_bytes=(settings.QUERY_MEMORY_MB + _RESERVED_MB) * limited.MIB,
        cpu_seconds=int(seconds * 2) + 1,
        seconds=seconds,
        wait_seconds=_WAIT_SECONDS,
    )
    client = leaving.client()
    is_unwanted = None if client is None else client.has_left
    try:
        with room():
            result = _processes.run(function, *arguments, limits=limits, is_unwanted=is_unwanted)
    except limited.CallEnded:
        registry.QUERIES.add("column_files", "left")
        raise
    except limited.AllBusy as error:
        registry.QUERIES.add("column_files", "busy")
        raise errors.Busy from error
    except limited.LimitExceeded as error:
        registry.QUERIES.add("column_files", "too_large")
        raise errors.QueryTooLarge(seconds=f"{seconds:g}") from error
    registry.QUERIES.add("column_files", "answered")
    return result


@contextmanager
def room() -> Iterator[None]:
    """Raise AllBusy if so many queries run or wait that others would find no thread."""
    if not _free.acquire(blocking=False):
        raise limited.AllBusy
    try:
        yield
    finally:
        _free.release()


def _plan(data_set: DataSet, span: Range, *, is_table: bool) -> _Plan | ColumnAnswer:
    """Return what to read, or the ColumnAnswer that sends the query to the row store."""
    found = DataSet.objects.only(*_OF_DATA_SET).get(pk=data_set.pk)
    for name in _OF_DATA_SET:
        setattr(data_set, name, getattr(found, name))
    if found.columns_until is None or not settings.COLUMNS:
        return _Plan(built=[], open_ranges=[span]) if is_table else ColumnAnswer()
    segments = Segment.objects.filter(store_id=found.store_id).only(*_OF_SEGMENTS)
    asked = list(segments.overlapping(span.start_at, span.end_at).order_by("starts_at"))
    has_later = span.end_at is None or span.end_at >= found.columns_until
    number = sum(one.records for one in asked)
    later = 0
    if has_later:
        in_segments = number if span.start_at is None else segments.aggregate(sum=Sum("records"))["sum"] or 0
        later = found.record_count - in_segments
        number += later
    if number < settings.COLUMNS_READ_FROM_RECORDS and not is_table:
        return ColumnAnswer()
    open_records = sum(one.records for one in asked if not one.is_built) + later
    if open_records > _MOST_OPEN and not is_table:
        return ColumnAnswer(is_being_built=True)
    ranges = [by_segment.narrowed(span, one.starts_at, one.ends_at) for one in asked if not one.is_built]
    if has_later:
        ranges.append(by_segment.narrowed(span, found.columns_until, None))
    return _Plan(built=[one for one in asked if one.is_built and one.file], open_ranges=ranges)


def _write_open(
    data_set: DataSet, query: Query, ranges: list[Range], names: set[str] | None, closing: ExitStack
) -> Source | None:
    """Write the open records that pass the filters as lines. Return None, without a file, if there are none."""
    writer = layout.Writer()
    lines = chain.from_iterable(_open_lines(data_set, query, one, names, writer) for one in ranges)
    first = next(lines, None)
    if first is None:
        return None
    folder = tempfile.TemporaryDirectory(dir=files.cache_folder(), prefix="query-")
    path = Path(closing.enter_context(folder)) / "open.json"
    with path.open("wb") as file:
        file.write(first)
        file.writelines(lines)
    return Source(paths=(str(path),), columns=frozenset(writer.columns), longest=writer.longest)


def _open_lines(
    data_set: DataSet, query: Query, span: Range, names: set[str] | None, writer: layout.Writer
) -> Iterator[bytes]:
    records = selected.records(data_set.store_id, query, span.start_at, span.end_at, inclusive=span.inclusive)
    return all_lines(records, writer) if names is None else _lines(records, sorted(names), writer)


def _lines(records: QuerySet[Record], names: list[str], writer: layout.Writer) -> Iterator[bytes]:
    stored.prepare()
    moments = {f"{name}_text": Cast(name, TextField()) for name in _MOMENTS}
    fields = {f"field_{number}": stored.FieldText(name) for number, name in enumerate(names)}
    rows = records.annotate(**moments, **fields).values_list("record_id", *moments, *fields)
    few = list(rows[:_FEW])
    each = few if len(few) < _FEW else streamed(rows, chunk_size=_AT_ONCE)
    for record_id, timestamp, start_at, end_at, *texts in each:
        own = {"_id": record_id, "_timestamp": timestamp}
        own |= {name: at for name, at in (("_start_at", start_at), ("_end_at", end_at)) if at is not None}
        there = zip(names, texts, strict=True)
        yield writer.line(own, ((name, json.loads(text)) for name, text in there if text is not None))


def _sources(built: list[Segment], open_lines: Source | None = None) -> tuple[Source, ...] | None:
    """Return the sources of the query, or None if a file is damaged: then its segment is open from now on."""
    by_columns: dict[frozenset[str], list[str]] = {}
    is_whole = True
    for segment in built:
        try:
            path = files.fetch(segment.file)
        except files.FileDamaged:
            _open_damaged(segment)
            is_whole = False
        else:
            by_columns.setdefault(frozenset(segment.columns), []).append(str(path))
    if not is_whole:
        return None
    sources = [Source(paths=tuple(paths), columns=columns) for columns, paths in by_columns.items()]
    return tuple(sources if open_lines is None else [*sources, open_lines])


def _open_damaged(segment: Segment) -> None:
    log.error("columns.damaged", segment=segment.pk, file=segment.file)
    registry.COLUMN_FILES.add("damaged")
    Segment.objects.filter(pk=segment.pk, file=segment.file).note_change()
