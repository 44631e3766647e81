"""Convert a whole file to lines that the job stores, and to the rows that are rejected. Runs in the child process.

A line has the number of the row and the columns of a record, with tabs between them: no record contains a tab or a
line end. Source: docs/reference/imports.md §6.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO

import msgspec

from datasets.imports.reading import columns as file_columns
from datasets.imports.reading import settings as import_settings
from datasets.imports.reading import work_files
from datasets.imports.reading.cells import UnreadableFile
from datasets.imports.reading.grid import GridFile
from datasets.imports.reading.questions import Json
from datasets.imports.reading.rows import RejectedRow, RowReader
from datasets.imports.reading.settings import ImportSettings
from datasets.imports.reading.sources import GRIDS, fields
from datasets.imports.reading.unpacking import FileContent, content_of
from datasets.records import ParsedRecord

ERRORS_SHOWN = 50
_MOST_GROWTH = 10  # of the records, against the largest file
_ENCODER = msgspec.json.Encoder()


@dataclass(slots=True)
class ConversionCounts:
    """The counts of a converted file. errors: the first rejections, as the API shows them"""

    rows: int = 0
    records: int = 0
    rejected: int = 0
    left_out: int = 0
    errors: list[Json] = field(default_factory=list)


def convert(
    path: str,
    folder: str,
    settings: Json,
    names: Sequence[str],
    set_ids: Sequence[str],
    max_bytes: int,
    is_dry: bool,
    schema: str = "",
) -> Json:
    """Write the lines and the rejected rows to the folder, and return the counts. Raises UnreadableFile.

    settings: complete; names: of the columns, of a file whose values have names; is_dry: leave out repeated ids
    schema: the JSON Schema that each record must fit, or a blank text
    """
    content = content_of(path, folder, max_bytes=max_bytes)
    complete = import_settings.parse(settings, is_complete=True)
    found = ConversionCounts()
    name, size = work_files.lines(is_dry=is_dry), 0
    with ExitStack() as stack:
        lines = stack.enter_context(open(f"{folder}/{name}.new", "w", encoding="utf-8", newline=""))
        rejected = stack.enter_context(open(f"{folder}/{work_files.REJECTED}.new", "wb"))
        repeats = is_dry and bool(complete.id or set_ids or _has_ids(complete))
        known = stack.enter_context(_SeenIds(f"{folder}/ids")) if repeats else None
        for number, row in _rows(content, complete, names, set_ids, schema, found):
            found.rows += 1
            if isinstance(row, RejectedRow):
                size += _reject(row, rejected, found)
            else:
                found.records += 1
                is_new = known is None or known.add(row.id)
                size += lines.write(_line(number, row) if is_new else f"{number}\t\t\t\t\t\n")
            if size > _MOST_GROWTH * max_bytes:  # a text of a spreadsheet may be named by each cell
                raise UnreadableFile("The rows of the file are too large together. Split it.")
    for written in (work_files.REJECTED, name):
        os.replace(f"{folder}/{written}.new", f"{folder}/{written}")
    return asdict(found)


def _has_ids(settings: ImportSettings) -> bool:
    own = settings.columns.get("_id")
    return (own is not None and not own.leave_out) or any(one.to == "_id" for one in settings.columns.values())


def _rows(
    content: FileContent,
    settings: ImportSettings,
    names: Sequence[str],
    set_ids: Sequence[str],
    schema: str,
    found: ConversionCounts,
) -> Iterator[tuple[int, ParsedRecord | RejectedRow]]:
    kind = settings.format or content.format
    if kind in GRIDS:
        with GridFile.opened(content.path, kind, settings) as grid:
            reader = RowReader(
                file_columns.resolve(grid.names, settings),
                settings,
                content.sha256,
                set_ids,
                are_texts=kind == "csv",
                schema=schema,
            )
            for number, cells in chain.from_iterable(grid.data()):
                yield number, reader.read(number, cells)
            found.left_out = grid.left_out
            found.rows += grid.left_out
        return
    known = file_columns.resolve(names, settings)
    reader = RowReader(known, settings, content.sha256, set_ids, keeps_nulls=kind != "parquet", schema=schema)
    for number, row in fields(content.path, kind):
        yield number, reader.read_fields(number, row)


def _line(number: int, row: ParsedRecord) -> str:
    return f"{number}\t{row.id}\t{row.timestamp}\t{row.start_at or ''}\t{row.end_at or ''}\t{row.body}\n"


def _reject(row: RejectedRow, file: IO[bytes], found: ConversionCounts) -> int:
    """Write a rejected row, and return its size in bytes."""
    found.rejected += 1
    if len(found.errors) < ERRORS_SHOWN:
        some = row.rejections[: ERRORS_SHOWN - len(found.errors)]
        found.errors += [{"row": row.row, "column": one.column or None, "message": one.reason} for one in some]
    shown = {"row": row.row, "column": row.column or None, "reason": row.reason, "values": row.values}
    try:
        return file.write(_ENCODER.encode(shown) + b"\n")
    except (TypeError, ValueError, UnicodeEncodeError):  # such as a lone surrogate
        return file.write(_ENCODER.encode({**shown, "values": {}}) + b"\n")


class _SeenIds:
    """Ids in a table on disk: 10 million of them in memory would take a gigabyte."""

    def __init__(self, path: str) -> None:
        Path(path).unlink(missing_ok=True)
        self._table = sqlite3.connect(path, isolation_level=None)
        self._table.execute("PRAGMA journal_mode = OFF")
        self._table.execute("PRAGMA synchronous = OFF")
        self._table.execute("CREATE TABLE seen (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self._table.execute("BEGIN")

    def __enter__(self) -> "_SeenIds":
        return self

    def __exit__(self, *_: object) -> None:
        self._table.close()

    def add(self, record_id: str) -> bool:
        """Return whether the id is new."""
        return self._table.execute("INSERT OR IGNORE INTO seen VALUES (?)", [record_id]).rowcount > 0
