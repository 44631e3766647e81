"""Find and delete the files of imports of a person, in data sets that are marked as personal.

A file cannot be changed safely, so it is deleted with its import. Source: docs/reference/erasing.md §3.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import msgspec
from django.db.models import QuerySet

from config.encryption import DecryptionFailed
from config.personal_records import PersonalRecords, RecordSearch
from datasets.errors import ImportStateWrong
from datasets.imports import details, files, kept, starting
from datasets.imports.files import ImportFileDamaged
from datasets.models import DataImport
from datasets.models.data_import import UNFINISHED

_SEARCHED = frozenset({"csv", "ndjson", "json", "mongoexport"})
_WIDE = ("utf-16", "utf-32")  # a line end in them is more than one byte
_GZIP = b"\x1f\x8b"


def _count(search: RecordSearch) -> int:
    return sum(1 for run in _imports() if _has(run, search))


def _export(search: RecordSearch) -> Iterator[dict[str, Any]]:
    for run in _imports():
        if _has(run, search):
            content = {"file": run.file_name, "started_at": run.started_at.isoformat(), "rows": run.total}
            yield {"data_set": str(run.data_set), "state": "import", "content": msgspec.json.encode(content).decode()}


def _erase(search: RecordSearch) -> Iterator[int]:
    for run in _imports():
        if not _can_be_searched(run) or _has(run, search):
            if run.state in UNFINISHED:
                with suppress(ImportStateWrong):  # it has ended meanwhile
                    starting.cancel(run)  # else a worker would store more of its rows
            kept.delete(run)
            yield 1


PERSONAL_IMPORTS = PersonalRecords(count=_count, export=_export, erase=_erase)


def _imports() -> QuerySet[DataImport]:
    personal = DataImport.objects.filter(data_set__personal=True)
    return personal.select_related("data_set__group", "data_set__type").order_by("started_at", "pk")


def _can_be_searched(run: DataImport) -> bool:
    """Return whether the file is a text: not packed, no spreadsheet, and recognised."""
    if run.settings.get("format") not in _SEARCHED:
        return False
    if str(run.settings.get("encoding") or "utf-8").lower().startswith(_WIDE):
        return False
    with suppress(ImportFileDamaged, DecryptionFailed):
        return not next(files.blocks(run, files.FILE)).startswith(_GZIP)
    return False


def _has(run: DataImport, search: RecordSearch) -> bool:
    """Return whether the name, the questions, the preview, a rejected row or the file has the recipient."""
    with suppress(DecryptionFailed):
        if search.are_in(run.file_name) or search.are_in(str(asdict(details.of(run)))):
            return True
    kinds = [files.REJECTED] if run.has_rejected_file else []
    encoding = str(run.settings.get("encoding") or "utf-8") if _can_be_searched(run) else ""
    with suppress(ImportFileDamaged, DecryptionFailed):
        for kind, code in (*((kind, "utf-8") for kind in kinds), *([(files.FILE, encoding)] if encoding else ())):
            lines = files.lines_of(files.blocks(run, kind))
            if any(search.are_in(line.decode(code, errors="replace")) for line in lines):
                return True
    return False
