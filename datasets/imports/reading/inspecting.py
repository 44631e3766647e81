"""Read a whole file once: its settings, its questions, and the first rows as they would be stored.

Runs in the child process. Source: docs/reference/imports.md §4.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from datasets.imports.reading import columns as file_columns
from datasets.imports.reading import deciding, numbers, questions, timestamps
from datasets.imports.reading import settings as import_settings
from datasets.imports.reading.cells import Cell, UnreadableFile
from datasets.imports.reading.column_facts import MAX_KEPT_TEXTS, ColumnFacts
from datasets.imports.reading.columns import FileColumn
from datasets.imports.reading.csv_rows import BrokenRow
from datasets.imports.reading.grid import GridFile
from datasets.imports.reading.questions import Json
from datasets.imports.reading.rows import RejectedRow, RowReader
from datasets.imports.reading.settings import MAX_COLUMNS, ColumnSettings, ImportSettings
from datasets.imports.reading.sources import GRIDS, fields
from datasets.imports.reading.unpacking import content_of
from datasets.imports.reading.values import kept_texts
from datasets.records import ParsedRecord
from datasets.records.names import MOMENTS

PREVIEW = 20  # rows


@dataclass(slots=True)
class Inspection:
    """What one pass over a file has found, as JSON. total: the rows of the table, those that are left out included"""

    settings: Json
    questions: list[Json]
    total: int
    names: list[str]
    preview: list[Json] = field(default_factory=list)


def inspect(path: str, folder: str, given: Json, set_ids: Sequence[str], max_bytes: int) -> Inspection:
    """Read a file with the settings that are given. Raises UnreadableFile, WrongSettings."""
    content = content_of(path, folder, max_bytes=max_bytes)
    settings = import_settings.parse(given)
    kind = settings.format or content.format
    if kind in GRIDS:
        return _grid(content.path, content.sha256, kind, settings, set_ids)
    return _fields(content.path, content.sha256, kind, settings, set_ids)


def _grid(path: str, sha256: str, kind: str, settings: ImportSettings, set_ids: Sequence[str]) -> Inspection:
    with GridFile.opened(path, kind, settings) as grid:
        asked, found = [*grid.questions], grid.settings
        if grid.must_wait:  # nothing can be read before the answer
            return Inspection(import_settings.as_json(found), asked, 0, [])
        known = file_columns.resolve(grid.names, found)
        facts = {one.place: _facts_of(one, found, len(known), is_typed=kind != "csv") for one in known}
        first: list[tuple[int, list[Cell] | BrokenRow]] = []
        total = 0
        for block in grid.data(facts):
            total += len(block)
            first += block[: PREVIEW - len(first)]
        asked += grid.questions_at_end
        for one in facts.values():
            one.finish()
        found, merged = grid.settings, grid.merged
        total += grid.left_out
    if not total:  # perhaps the only row with values was taken for the names
        asked = [one for one in asked if one["code"] == "header"]
        return Inspection(import_settings.as_json(found), asked, 0, grid.names)
    values = [facts[one.place].values for one in known]
    complete, more = _decided(known, facts, found)
    asked += file_columns.ask(known, found, values, merged)
    complete = _with_defaults(complete)
    reader = RowReader(_planned(known, complete), complete, sha256, set_ids)
    preview = [_shown(number, reader.read(number, cells)) for number, cells in first]
    order = {code: index for index, code in enumerate(questions.CODES)}
    asked = sorted([*asked, *more], key=lambda one: order[one["code"]])
    return Inspection(import_settings.as_json(complete), asked, total, grid.names, preview)


def _fields(path: str, sha256: str, kind: str, settings: ImportSettings, set_ids: Sequence[str]) -> Inspection:
    facts: dict[str, ColumnFacts] = {}
    first: list[tuple[int, dict[str, Cell] | BrokenRow]] = []
    total = 0
    for number, row in fields(path, kind):
        total += 1
        if len(first) < PREVIEW:
            first.append((number, row))
        if isinstance(row, BrokenRow):
            continue
        for name, value in row.items():
            found = facts.get(name)
            if found is None:
                if len(facts) >= MAX_COLUMNS:
                    raise UnreadableFile(f"The records of the file have more than {MAX_COLUMNS} different fields.")
                kept = kept_texts(len(facts) + 1, MAX_KEPT_TEXTS)
                found = facts[name] = ColumnFacts(is_typed=True, kept_texts=kept)
            found.add(value)
    if first and not facts and isinstance(first[0][1], BrokenRow):
        raise UnreadableFile(_no_objects(kind, first[0][0], first[0][1].reason))
    for one in facts.values():
        one.finish()
    settings = msgspec.structs.replace(settings, format=kind)
    if not total:
        return Inspection(import_settings.as_json(settings), [], 0, [])
    known = file_columns.resolve([*facts], settings)
    by_place = dict(enumerate(facts.values()))
    asked = [*file_columns.ask(known, settings, [1] * len(known), {}), *timestamps.ask(known, by_place, settings)]
    complete = _with_defaults(_with_times(known, by_place, settings, asked))
    reader = RowReader(_planned(known, complete), complete, sha256, set_ids, keeps_nulls=kind != "parquet")
    preview = [_shown(number, reader.read_fields(number, row)) for number, row in first]
    return Inspection(import_settings.as_json(complete), asked, total, [*facts], preview)


def _no_objects(kind: str, number: int, reason: str) -> str:
    """Return what is wrong with a file of JSON that has no record."""
    place = "record" if kind == "json" else "line"
    form = "an array of objects" if kind == "json" else "one whole object on each line"
    return f"The file has no record that can be read: {place} {number} {reason}. It must have {form}, in UTF-8."


def _facts_of(column: FileColumn, settings: ImportSettings, columns: int, *, is_typed: bool) -> ColumnFacts:
    pattern = None
    if deciding.gives_marks(column, settings):
        decimal = column.given.decimal or settings.decimal or "."
        own = column.given.thousands if column.given.thousands is not None else settings.thousands or ""
        pattern = numbers.pattern(decimal, "" if own == decimal else own)
    words = column.given.null_words if column.given.null_words is not None else settings.null_words or []
    kept = kept_texts(columns, MAX_KEPT_TEXTS)
    return ColumnFacts(is_typed=is_typed, given_number=pattern, null_words=frozenset(words), kept_texts=kept)


def _decided(
    known: Sequence[FileColumn], facts: dict[int, ColumnFacts], settings: ImportSettings
) -> tuple[ImportSettings, list[Json]]:
    """Return the complete settings, and the questions about types and times."""
    asked: list[Json] = []
    complete: dict[str, ColumnSettings] = {}
    for one in known:
        if one.is_left_out:
            if one.name or facts[one.place].values:
                complete[one.key] = ColumnSettings(leave_out=True)
        elif one.target or facts[one.place].values:
            complete[one.key], more = deciding.decide(one, facts[one.place], settings)
            asked += more
    asked += timestamps.ask(known, facts, settings)
    absent = {name: own for name, own in settings.columns.items() if name not in complete}
    return msgspec.structs.replace(settings, columns={**absent, **complete}), asked


def _with_times(
    known: Sequence[FileColumn], facts: dict[int, ColumnFacts], settings: ImportSettings, asked: list[Json]
) -> ImportSettings:
    """Return the complete settings of a file whose values have types: only its moments are texts."""
    complete = dict(settings.columns)
    for one in known:
        if one.is_left_out:
            complete[one.key] = ColumnSettings(leave_out=True)
        elif one.target in MOMENTS and facts[one.place].dates:
            complete[one.key], more = deciding.decide(one, facts[one.place], settings)
            asked += more
        elif one.given.type is not None or one.given.form is not None:
            complete[one.key], more = deciding.decide(one, facts[one.place], settings)
        else:
            complete[one.key] = msgspec.structs.replace(one.given, to=one.target)
    return msgspec.structs.replace(settings, columns=complete)


def _with_defaults(settings: ImportSettings) -> ImportSettings:
    """Return the settings with the defaults of those that are not given."""
    return msgspec.structs.replace(
        settings,
        decimal=settings.decimal or ".",
        thousands=settings.thousands or "",
        zone=settings.zone or "UTC",
        empty=settings.empty or "absent",
        null_words=settings.null_words or [],
        other_columns=settings.other_columns or "keep",
    )


def _planned(known: Iterable[FileColumn], settings: ImportSettings) -> list[FileColumn]:
    """Return the columns with their complete settings."""
    return [*_with(known, settings)]


def _with(known: Iterable[FileColumn], settings: ImportSettings) -> Iterator[FileColumn]:
    for one in known:
        own = settings.columns.get(one.key, one.given)
        yield FileColumn(place=one.place, name=one.name, key=one.key, given=own, is_left_out=one.is_left_out)


def _shown(number: int, row: ParsedRecord | RejectedRow) -> Json:
    if isinstance(row, RejectedRow):
        return {"row": number, "column": row.column, "reason": row.reason}
    own: dict[str, Any] = {"_id": row.id, "_timestamp": row.timestamp}  # Any: JSON
    if row.start_at is not None:
        own["_start_at"] = row.start_at
    if row.end_at is not None:
        own["_end_at"] = row.end_at
    return {"row": number, "record": {**own, **msgspec.json.decode(str(row.body))}}
