"""The work of an import: read the file, convert it, and store its rows batch by batch.

A batch and the position of the import are one transaction. So if a process is killed at any point, the next one goes on
where it was. What a child process has converted stays in a folder of the machine; another machine converts again.
Source: docs/reference/imports.md §6.
"""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from config import audit, limited
from config.jobs import runner
from config.jobs.models import LEASE_SECONDS
from config.jobs.pace import Pace
from config.jobs.registry import Batch, Job
from config.metrics import registry
from config.queue.lease import Lease, LostLease
from datasets import store
from datasets.imports import details, files, starting
from datasets.imports.details import ImportDetails
from datasets.imports.files import ImportFileDamaged
from datasets.imports.reading import child, work_files
from datasets.imports.reading.cells import UnreadableFile
from datasets.imports.reading.settings import WrongSettings
from datasets.models import DataImport, ImportState
from datasets.records import ParsedRecord

SLICE_SECONDS = 60  # other long tasks wait meanwhile
READ_SECONDS = 1_800
_BATCH = {"postgresql": 10_000, "sqlite": 1_000}  # records; SQLite locks everything during a batch
_RENEW_SECONDS = LEASE_SECONDS / 6
LIMITS = limited.ProcessLimits(memory_bytes=1024 * limited.MIB, cpu_seconds=READ_SECONDS, seconds=READ_SECONDS)
_DAMAGED = "The file is missing in the file store, or damaged. Import it again."
_TOO_LARGE = "The file needs more memory than an import may use. Split it, or save it as CSV."
_NOT_READ = "The file could not be read. It may be damaged: open it in the program it comes from, and save it again."
_TOO_LONG = "The file takes longer than an import may. Split it."

log = structlog.get_logger()
_children = limited.Processes(number=1)
Result = TypeVar("Result")


class _Unreadable(Exception):
    """The import fails. The message is for the person."""


def work(run: DataImport, seconds: float | None = SLICE_SECONDS) -> bool:
    """Work on an import for about `seconds`, or to its end or its next question. Return whether work is left."""
    try:
        if run.state == ImportState.READING:
            _read(run)
            run.refresh_from_db()
        if run.state != ImportState.RUNNING:
            return False
        if not run.is_converted or not _lines(run).exists():
            _convert(run)
            run.refresh_from_db()
        is_left = runner.work(run, JOB, seconds)
    except LostLease:
        log.info("import.changed", import_id=str(run.pk))
        return False
    except DataImport.DoesNotExist:  # its data set was deleted
        return False
    if not is_left:
        _forget(run)
    return is_left


def _forget(run: DataImport) -> None:
    """Delete the working folder of an import that is over."""
    state = DataImport.objects.filter(pk=run.pk).values_list("state", flat=True).first()
    if state not in {ImportState.RUNNING, ImportState.PAUSED}:
        shutil.rmtree(files.work_folder(run.pk), ignore_errors=True)


def _read(run: DataImport) -> None:
    """Read the whole file once, then ask, go on or finish."""
    lease = _lease(run, ImportState.READING)
    if lease is None:
        return
    set_ids = run.data_set.auto_ids or ()
    try:
        found = _in_child(lease, run, child.inspect, run.given, set_ids, settings.IMPORT_MAX_BYTES)
    except _Unreadable as error:
        _fail(run, lease, str(error))
        return
    kept = ImportDetails(questions=found.questions, names=found.names, preview=found.preview)
    changes: dict[str, Any] = {
        "settings": found.settings,
        "total": found.total,
        "encrypted_details": details.encrypted(run, kept),
        "state": ImportState.NEEDS_ANSWERS if found.questions or run.waits else ImportState.RUNNING,
        "is_converted": False,
    }
    if changes["state"] == ImportState.RUNNING:
        with transaction.atomic():
            lease.release(**changes)
            starting.save_settings(run)
    else:
        lease.release(**changes)


def _convert(run: DataImport) -> None:
    """Convert the whole file, and keep the rejected rows and their number."""
    lease = _lease(run, ImportState.RUNNING)
    if lease is None:
        raise LostLease
    kept = details.of(run)
    arguments = (run.settings, kept.names, run.data_set.auto_ids or (), settings.IMPORT_MAX_BYTES, run.is_dry_run)
    try:
        found = _in_child(lease, run, child.convert, *arguments)
    except _Unreadable as error:
        _fail(run, lease, str(error))
        raise LostLease from error
    if found["rejected"] and not run.has_rejected_file:
        files.save(run.pk, bytes(run.encrypted_key), files.REJECTED, files.work_folder(run.pk) / work_files.REJECTED)
    shown = ImportDetails(names=kept.names, preview=kept.preview, errors=found["errors"])
    lease.release(
        is_converted=True,
        total=found["rows"],
        rejected=found["rejected"],
        left_out=found["left_out"],
        has_rejected_file=bool(found["rejected"]),
        encrypted_details=details.encrypted(run, shown),
    )


def _lease(run: DataImport, state: str) -> Lease | None:
    rows = DataImport.objects.filter(pk=run.pk, finished_at=None, state=state)
    lease = Lease(rows=rows, seconds=LEASE_SECONDS)
    return lease if lease.take() else None


def _in_child(lease: Lease, run: DataImport, function: Callable[..., Result], *arguments: object) -> Result:
    """Run a function of the child process, and renew the lease meanwhile. Raises _Unreadable, LostLease."""
    folder = files.work_folder(run.pk)
    path = folder / work_files.FILE
    try:
        if not path.exists():
            files.fetch(run, path)
    except ImportFileDamaged as error:
        raise _Unreadable(_DAMAGED) from error
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(_children.run, function, str(path), str(folder), *arguments, limits=LIMITS)
        while not wait([call], timeout=_RENEW_SECONDS).done:
            lease.renew()
    return _result_of(call)


def _result_of(call: Future[Result]) -> Result:
    """Return what the child process has returned. Raises _Unreadable: the same file would fail again."""
    try:
        return call.result()
    except (UnreadableFile, WrongSettings) as error:
        raise _Unreadable(str(error)) from error
    except limited.TookTooLong as error:
        raise _Unreadable(_TOO_LONG) from error
    except limited.LimitExceeded as error:
        raise _Unreadable(_TOO_LARGE) from error
    except Exception as error:  # a reader may raise anything for a damaged file
        log.error("import.failed", exc_info=error)
        raise _Unreadable(_NOT_READ) from error


def _fail(run: DataImport, lease: Lease, message: str) -> None:
    with transaction.atomic():
        if lease.release(finished_at=timezone.now(), error=message, state=ImportState.FAILED, changed_at=Now()):
            JOB.note_end(run, message)
    _forget(run)


def _lines(run: DataImport) -> Path:
    return files.work_folder(run.pk) / work_files.LINES


class ImportJob(Job):
    """Stores the rows of imports."""

    def batches(self, run: DataImport, pace: Pace) -> Iterator[Batch]:
        if run.state != ImportState.RUNNING:  # it was paused before this worker took it
            raise LostLease
        size = _BATCH[connection.vendor]
        with _lines(run).open(encoding="utf-8", newline="\n") as file:
            parsed = map(_parsed, file)
            waiting = (one for one in parsed if one[0] > run.position)
            while some := list(islice(waiting, size)):
                yield self._store(run, some)

    def _store(self, run: DataImport, some: Sequence[tuple[int, ParsedRecord | None]]) -> Batch:
        found = [record for _, record in some if record is not None]
        if run.is_dry_run:
            new = len(found) - store.known_ids(run.data_set_id, [record.id for record in found])
        else:
            new = store.store_batch(run.data_set_id, found, token_id=run.token_id).new
            registry.RECORDS.add("written", number=len(found))
        run.position = some[-1][0]
        run.new += new
        run.replaced += len(some) - new
        return Batch(number=len(some), passed=len(some))

    def ended(self, run: DataImport, error: str) -> None:
        """Set the state, in the transaction that ends the run."""
        state = ImportState.FAILED if error else ImportState.FINISHED
        DataImport.objects.filter(pk=run.pk).update(state=state, changed_at=Now())
        self.note_end(run, error)

    def note_end(self, run: DataImport, error: str) -> None:
        after = {"import": str(run.pk), "dry_run": run.is_dry_run, "stored": run.stored, "rejected": run.rejected}
        verb = "failed_import" if error else "finished_import"
        audit.record(run.actor, verb, run.data_set, after=after)


def _pace() -> Pace:
    return Pace(rest_by_work={"sqlite": 1, "postgresql": 0})


JOB = ImportJob(name="import", task_seconds=SLICE_SECONDS, new_pace=_pace)


def _parsed(line: str) -> tuple[int, ParsedRecord | None]:
    """Return the number of a row and its record, or None for a repeated `_id` of a dry run."""
    number, record_id, timestamp, start_at, end_at, body = line[:-1].split("\t", 5)
    if not record_id:
        return int(number), None
    return int(number), ParsedRecord(record_id, timestamp, start_at or None, end_at or None, body)


def delete(run: DataImport) -> None:
    """Delete an import with its files. If it is interrupted, `delete_left_behind` deletes the files later."""
    import_id = run.pk
    run.delete()
    files.delete(import_id)


def delete_left_behind(older_than_seconds: float) -> int:
    """Delete files without an import, and old working folders. Return the number of deleted files."""
    deleted = 0
    for import_id, name in files.named():
        old = files.file_store().get_modified_time(name).timestamp() < time.time() - older_than_seconds
        if old and not DataImport.objects.filter(pk=import_id).exists():
            files.file_store().delete(name)
            deleted += 1
    for folder in Path(settings.IMPORT_WORK_DIR).glob("*-*/"):
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime < time.time() - older_than_seconds:
                shutil.rmtree(folder, ignore_errors=True)
    return deleted
