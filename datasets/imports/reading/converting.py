"""Convert a whole file to lines that the job stores, and to the rows that are rejected. Runs in the child process.

A line has the number of the row and the columns of a record, with tabs between them: no record contains a tab or a
line end. Source: docs/reference/imports.md §6.
"""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
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
from datasets.imports.reading.sources import GRIDS, GridRow, fields
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
    name = work_files.lines(is_dry=is_dry)
    with ExitStack() as stack:
        lines = stack.enter_context(open(f"{folder}/{name}.new", "w", encoding="utf-8", newline=""))
        rejected = stack.enter_context(open(f"{folder}/{work_files.REJECTED}.new", "wb"))
        repeats = is_dry and bool(complete.id or set_ids or _has_ids(complete))
        known = stack.enter_context(_SeenIds(f"{folder}/ids")) if repeats else None
        target = _Target(lines, rejected, known, _MOST_GROWTH * max_bytes)
        _convert_rows(content, complete, names, set_ids, schema, target)
    for written in (work_files.REJECTED, name):
        os.replace(f"{folder}/{written}.new", f"{folder}/{written}")
    return asdict(target.found)


def _has_ids(settings: ImportSettings) -> bool:
    own = settings.columns.get("_id")
    return (own is not None and not own.leave_out) or any(one.to == "_id" for one in settings.columns.values())


def _convert_rows(
    content: FileContent,
    settings: ImportSettings,
    names: Sequence[str],
    set_ids: Sequence[str],
    schema: str,
    target: "_Target",
) -> None:
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
            for block in grid.data():
                _convert_block(block, reader, target)
            target.found.left_out = grid.left_out
            target.found.rows += grid.left_out
        return
    known = file_columns.resolve(names, settings)
    reader = RowReader(known, settings, content.sha256, set_ids, keeps_nulls=kind != "parquet", schema=schema)
    for number, row in fields(content.path, kind):
        target.add(number, reader.read_fields(number, row))


def _convert_block(block: Sequence[GridRow], reader: RowReader, target: "_Target") -> None:
    lines = reader.usual_lines(block)
    if None not in lines:
        target.add_lines(lines)  # type: ignore[arg-type]  # no None
        return
    for (number, cells), line in zip(block, lines, strict=True):
        if line is None:
            target.add(number, reader.read(number, cells))
        else:
            target.add_lines([line])


@dataclass(slots=True)
class _Target:
    """Where the lines and the rejected rows go. known: the ids so far, if repeated ones are left out"""

    lines: IO[str]
    rejected: IO[bytes]
    known: "_SeenIds | None"
    max_size: int
    found: ConversionCounts = field(default_factory=ConversionCounts)
    _size: int = 0

    def add_lines(self, lines: Sequence[str]) -> None:
        """Write the lines of records. Raises UnreadableFile."""
        self.found.rows += len(lines)
        self.found.records += len(lines)
        self._grow(self.lines.write("".join(lines)))

    def add(self, number: int, row: ParsedRecord | RejectedRow) -> None:
        """Write a record or a rejected row. Raises UnreadableFile."""
        if isinstance(row, ParsedRecord):
            is_new = self.known is None or self.known.add(row.id)
            moments = (row.start_at or "", row.end_at or "")
            written = work_files.line(number, row.id, row.timestamp, row.body, *moments) if is_new else ""
            self.add_lines([written or work_files.line(number, "", "", "")])
            return
        self.found.rows += 1
        self.found.rejected += 1
        if len(self.found.errors) < ERRORS_SHOWN:
            some = row.rejections[: ERRORS_SHOWN - len(self.found.errors)]
            self.found.errors += [{"row": row.row, "column": one.column or None, "message": one.reason} for one in some]
        shown = {"row": row.row, "column": row.column or None, "reason": row.reason, "values": row.values}
        try:
            self._grow(self.rejected.write(_ENCODER.encode(shown) + b"\n"))
        except (TypeError, ValueError, UnicodeEncodeError):  # such as a lone surrogate
            self._grow(self.rejected.write(_ENCODER.encode({**shown, "values": {}}) + b"\n"))

    def _grow(self, written: int) -> None:
        self._size += written
        if self._size > self.max_size:  # a text of a spreadsheet may be named by each cell
            raise UnreadableFile("The rows of the file are too large together. Split it.")


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
