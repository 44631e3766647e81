"""The conversion of a file by the child process, whose lines are stored while it goes on.

Source: docs/reference/imports.md §6.
"""

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import BinaryIO, NamedTuple, Self

from django.conf import settings
from django.db import connection

from config.jobs.pace import Pace
from datasets.imports import calling, details, files
from datasets.imports.calling import ImportUnreadable
from datasets.imports.details import ImportDetails
from datasets.imports.reading import child, work_files
from datasets.models import DataImport
from datasets.records import ParsedRecord
from datasets.store import schemas

_LONGEST_WAIT_SECONDS = 2  # then the lease is renewed, unless the import was cancelled or paused
_POLL_SECONDS = 0.02
BATCH_BYTES = {"postgresql": 1024 * 1024, "sqlite": 128 * 1024}  # SQLite locks everything during a batch


class ConvertedRows(NamedTuple):
    """Some rows. position: the number of the last one; number: how many, also those without a record

    A dry run has no record for a row whose `_id` came before.
    """

    position: int
    number: int
    records: list[ParsedRecord]


def lines_of(run: DataImport) -> Path:
    return files.work_folder(run.pk) / work_files.lines(is_dry=run.is_dry_run)


class LineReader:
    """Reads the converted lines, also while they are written. paths: the file is at the first that exists"""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._opened: BinaryIO | None = None
        self._read_bytes = 0

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    @property
    def unread_bytes(self) -> int:
        file = self._file()
        return 0 if file is None else os.fstat(file.fileno()).st_size - self._read_bytes

    def _file(self) -> BinaryIO | None:
        """Return the open file, or None if it is not there yet."""
        for path in self._paths if self._opened is None else ():
            with suppress(FileNotFoundError):
                self._opened = path.open("rb")
                break
        return self._opened

    def take(self, about_bytes: int, after: int) -> ConvertedRows | None:
        """Return rows that follow the row `after`, or None if no more are written yet."""
        while lines := self._lines(about_bytes):
            if _number(lines[0]) <= after:  # stored before the process was killed
                lines = [line for line in lines if _number(line) > after]
            if lines:
                break
        else:
            return None
        rows = (line.split("\t", 5) for line in b"\n".join(lines).decode().split("\n"))
        records = [
            ParsedRecord._make((record_id, timestamp, start_at or None, end_at or None, body))
            for _, record_id, timestamp, start_at, end_at, body in rows
            if record_id
        ]
        return ConvertedRows(_number(lines[-1]), len(lines), records)

    def _lines(self, about_bytes: int) -> list[bytes]:
        """Return complete lines. `readlines` would return the two parts of a line that is written meanwhile."""
        file = self._file()
        if file is None:
            return []
        found = file.read(about_bytes) + file.readline()
        *lines, begun = found.split(b"\n")
        file.seek(-len(begun), os.SEEK_CUR)
        self._read_bytes += len(found) - len(begun)
        return lines


def _number(line: bytes) -> int:
    return int(line.partition(b"\t")[0])


class Conversion:
    """A conversion that runs in the child process. failure: why it has ended without a result, for the person"""

    def __init__(self, run: DataImport) -> None:
        self.failure = ""
        self.is_over = False
        self._run = run
        self._names: Sequence[str] = details.of(run).names
        self._path = lines_of(run).with_name(f"{lines_of(run).name}.new")
        self._path.unlink(missing_ok=True)  # of a process that was killed
        lines_of(run).unlink(missing_ok=True)
        self.reader = LineReader(self._path, lines_of(run))
        self._pool = ThreadPoolExecutor(1)
        given = (run.settings, self._names, run.data_set.auto_ids or (), settings.IMPORT_MAX_BYTES)
        rules = (run.is_dry_run, schemas.enforced(run.data_set))
        self._ended = Event()
        self._call = self._pool.submit(calling.run_child, run, self._ended, child.convert, *given, *rules)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the child process if it still works: the import was cancelled or paused, or the database is away."""
        self._ended.set()
        self.reader.close()
        self._pool.shutdown(wait=True)

    def wait_for_rows(self) -> None:
        """Wait until there are rows for a batch, or the end, or some time has passed. Not in a transaction."""
        ends_at = time.monotonic() + _LONGEST_WAIT_SECONDS
        while time.monotonic() < ends_at:
            if self._call.done():
                self._note_end()
                return
            if self.reader.unread_bytes > BATCH_BYTES[connection.vendor]:
                return
            time.sleep(_POLL_SECONDS)

    def _note_end(self) -> None:
        """Store the counts and the rejected rows."""
        if self.is_over or not self._call.done():
            return
        try:
            found = self._call.result()
        except ImportUnreadable as error:
            self.failure, self.is_over = str(error), True
            return
        run = self._run
        if found["rejected"]:  # those of a check of all rows are replaced: the schema may have changed
            path = files.work_folder(run.pk) / work_files.REJECTED
            files.save(run.pk, bytes(run.encrypted_key), files.REJECTED, path)
        kept = details.of(run)
        shown = ImportDetails(names=kept.names, preview=kept.preview, errors=found["errors"])
        run.total, run.rejected, run.left_out = found["rows"], found["rejected"], found["left_out"]
        run.has_rejected_file, run.is_converted = bool(found["rejected"]), True
        run.encrypted_details = details.encrypted(run, shown)
        names = ("total", "rejected", "left_out", "has_rejected_file", "is_converted", "encrypted_details")
        DataImport.objects.filter(pk=run.pk).update(**{name: getattr(run, name) for name in names})
        self.is_over = True


class FollowingPace(Pace):
    """The pace of batches that follow a conversion."""

    def __init__(self, conversion: Conversion) -> None:
        super().__init__(rest_by_work=REST_BY_WORK)
        self._conversion = conversion

    def begin(self) -> None:
        self._conversion.wait_for_rows()
        super().begin()


REST_BY_WORK = {"sqlite": 1.0, "postgresql": 0.0}
