"""An import as the API shows it, and its rejected rows. Source: docs/reference/imports.md §1, §7."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from config import spreadsheets
from config.rest.content import write_moment
from datasets.imports import details, files
from datasets.models import DataImport, ImportState

Json = dict[str, Any]  # Any: JSON
_NUMBER = re.compile(r"-\d+(?:\.\d+)?", re.ASCII)


def as_json(run: DataImport, path: str) -> Json:
    """Return an import as JSON. path: of its data set"""
    found = details.of(run)
    is_asking = run.state == ImportState.NEEDS_ANSWERS
    return {
        "id": str(run.pk),
        "data_set": path,
        "state": run.state,
        "dry_run": run.is_dry_run,
        "file": {
            "name": run.file_name or None,
            "bytes": run.file_bytes,
            "format": run.settings.get("format"),
        },
        "settings": run.settings,
        "questions": found.questions if is_asking else [],
        "errors": found.errors,
        "message": run.error or None,
        "progress": run.progress,
        "rows": {
            "total": run.total,
            "stored": run.stored,
            "new": run.new,
            "replaced": run.replaced,
            "rejected": run.rejected,
            "left_out": run.left_out,
        },
        "created_at": write_moment(run.started_at),
        "finished_at": write_moment(run.finished_at),
    }


def rejected_ndjson(run: DataImport) -> Iterator[bytes]:
    """Yield the rejected rows, one JSON object a line. Raises ImportFileDamaged."""
    for line in _rejected(run):
        yield line + b"\n"


def rejected_csv(run: DataImport) -> Iterator[str]:
    """Yield the rejected rows as CSV: the columns of the file, `row` and `reason`. Raises ImportFileDamaged."""
    names = list(dict.fromkeys(details.of(run).names))
    names = [name or f"#{place}" for place, name in enumerate(names, 1)]
    yield spreadsheets.csv_line([*names, "row", "reason"])
    for line in _rejected(run):
        row = msgspec.json.decode(line)
        reason = f"{row['column']}: {row['reason']}" if row["column"] else row["reason"]
        yield _line([*(row["values"].get(name) for name in names), row["row"], reason])


def _rejected(run: DataImport) -> Iterator[bytes]:
    if run.has_rejected_file:
        yield from files.lines_of(files.blocks(run, files.REJECTED))


def _line(values: Iterable[object]) -> str:
    """Return a line of CSV. Negative numbers stay as they are: an apostrophe would make them texts."""
    return ",".join(_cell(value) for value in values) + "\r\n"


def _cell(value: object) -> str:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return value
    return spreadsheets.csv_line([value]).removesuffix("\r\n")
