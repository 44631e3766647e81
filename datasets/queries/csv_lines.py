"""The lines of a CSV of a raw read in order of time, from column files as far as they are built.

Each part of the range is read at its own time, as pages of the row store are. A part whose file cannot be used any
more, or whose query process is busy or has too little memory, comes from the row store.
"""

from collections.abc import Iterator, Sequence
from typing import TextIO

from config.spreadsheets import csv_line
from datasets import errors
from datasets.models import DataSet, Segment
from datasets.queries import by_segment, engines, written
from datasets.queries.column_files import process, reading
from datasets.queries.query import Query

_MOST_COLUMNS = 500  # in one statement of DuckDB
_CHARACTERS = 100_000  # of a file at once


def table(data_set: DataSet, query: Query, header: Sequence[str]) -> Iterator[str]:
    """Yield the lines with those of the header; yield nothing if it has no names."""
    if header:
        yield csv_line(header)
        yield from lines(data_set, query, header)


def lines(data_set: DataSet, query: Query, header: Sequence[str]) -> Iterator[str]:
    """Yield texts of one or more lines for all records of a raw read, or of the part of one long line."""
    is_by_time = query.sort is None and query.limit is None and query.after is None
    if data_set.columns_until is None or not is_by_time or len(header) > _MOST_COLUMNS or not reading.may_read():
        yield from _from_row_store(data_set, query, header)
        return
    for part, segment in by_segment.parts(data_set, query):
        found = None if segment is None else _from_file(segment, part, header)
        yield from _from_row_store(data_set, part, header) if found is None else found


def _from_row_store(data_set: DataSet, query: Query, header: Sequence[str]) -> Iterator[str]:
    for fields in map(written.fields, engines.rows(data_set, query)):
        yield csv_line(map(fields.get, header))


def _from_file(listed: Segment, query: Query, header: Sequence[str]) -> Iterator[str] | None:
    """Return the lines of the records of a segment, or None if it was changed since it was listed."""
    segment = Segment.objects.built().filter(pk=listed.pk, ends_at=listed.ends_at).first()
    if segment is None:
        return None
    if not segment.file:  # it has no records
        return iter(())
    try:
        file = reading.segment_file(process.csv, segment, query, tuple(header))
    except (errors.QueryTooLarge, errors.Busy):
        return None
    return None if file is None else _read(file)


def _read(file: TextIO) -> Iterator[str]:
    with file:
        while block := file.read(_CHARACTERS):
            yield block
