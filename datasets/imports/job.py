"""The work of an import: read the file, convert it, and store its rows batch by batch.

A batch and the position of the import are one transaction. So if a process is killed at any point, the next one goes on
where it was. What a child process has converted stays in a folder of the machine; another machine converts again.
Source: docs/reference/imports.md §6.
"""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, nullcontext
from dataclasses import dataclass
from threading import Event
from typing import Any

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from config import audit
from config.jobs import runner
from config.jobs.models import LEASE_SECONDS
from config.jobs.pace import Pace
from config.jobs.registry import Batch, Job
from config.metrics import registry
from config.queue.lease import Lease, LostLease
from datasets import store
from datasets.imports import calling, conversion, details, files, starting
from datasets.imports.calling import ImportUnreadable
from datasets.imports.conversion import BATCH_BYTES, Conversion, ConvertedRows, FollowingPace, LineReader
from datasets.imports.details import ImportDetails
from datasets.imports.reading import child
from datasets.models import DataImport, ImportState
from datasets.models.data_import import WORKING

SLICE_SECONDS = 60  # other imports wait meanwhile
_INCOMPLETE = "Not all rows of the file were read. Import it again."
_RENEW_SECONDS = 2  # after so many seconds, a worker that only waits finds out that an import was cancelled

log = structlog.get_logger()


def work(run: DataImport, seconds: float | None = SLICE_SECONDS) -> bool:
    """Work on an import for about `seconds`, or to its end or its next question. Return whether work is left."""
    try:
        if run.state == ImportState.READING:
            _read(run)
            run.refresh_from_db()
        if run.state != ImportState.RUNNING:
            return False
        is_left = _store(run, seconds)
    except LostLease:
        log.info("import.changed", import_id=str(run.pk))
        return False
    except DataImport.DoesNotExist:  # its data set was deleted
        return False
    if not is_left:
        _forget(run)
    return is_left


def _store(run: DataImport, seconds: float | None) -> bool:
    """Store rows, and convert the file meanwhile if this machine has not done so. Return whether work is left."""
    if run.is_converted and conversion.lines_of(run).exists():
        return runner.work(run, JOB, seconds)
    lease = runner.lease_of(run)
    if not lease.take():  # another process converts in the same folder
        return False
    try:
        calling.fetch(run)
    except ImportUnreadable as error:
        _fail(run, str(error))
        return False
    with Conversion(run) as following:
        job = ImportJob(name="import", new_pace=lambda: FollowingPace(following), following=following)
        while is_left := runner.work(run, job, seconds, lease):
            if following.is_over:  # else its lines would be lost
                break
    return is_left


def _forget(run: DataImport) -> None:
    """Delete the working folder of an import that is over."""
    state = DataImport.objects.filter(pk=run.pk).values_list("state", flat=True).first()
    if state not in {ImportState.RUNNING, ImportState.PAUSED}:
        shutil.rmtree(files.work_folder(run.pk), ignore_errors=True)


def _read(run: DataImport) -> None:
    """Read the whole file once, then ask, go on or finish. Raises LostLease."""
    rows = DataImport.objects.filter(pk=run.pk, finished_at=None, state=ImportState.READING)
    lease = Lease(rows=rows, seconds=LEASE_SECONDS)
    if not lease.take():
        return
    given = (run.given, run.data_set.auto_ids or (), settings.IMPORT_MAX_BYTES)
    try:
        calling.fetch(run)
        ended = Event()
        with ThreadPoolExecutor(1) as pool:
            call = pool.submit(calling.run_child, run, ended, child.inspect, *given)
            try:
                while not wait([call], timeout=_RENEW_SECONDS).done:
                    lease.renew()
            finally:  # it was cancelled, or the database is away: nobody needs the result
                ended.set()
        found = call.result()
    except ImportUnreadable as error:
        _fail(run, str(error))
        return
    kept = ImportDetails(questions=found.questions, names=found.names, preview=found.preview)
    is_asking = bool(found.questions) or run.waits
    with transaction.atomic():
        is_kept = lease.release(
            settings=found.settings,
            total=found.total,
            encrypted_details=details.encrypted(run, kept),
            state=ImportState.NEEDS_ANSWERS if is_asking else ImportState.RUNNING,
            is_converted=False,
        )
        if is_kept and not is_asking:
            starting.save_settings(run.data_set, run.given)


def _fail(run: DataImport, message: str) -> None:
    with transaction.atomic():
        rows = DataImport.objects.filter(pk=run.pk, state__in=WORKING)
        changes: dict[str, Any] = {"finished_at": timezone.now(), "error": message, "holder": "", "changed_at": Now()}
        if rows.update(state=ImportState.FAILED, **changes):
            JOB.note_end(run, message)
    _forget(run)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJob(Job):
    """Stores the rows of imports. following: the conversion that still writes them, if there is one"""

    following: Conversion | None = None

    def batches(self, run: DataImport, pace: Pace) -> Iterator[Batch]:
        if run.state != ImportState.RUNNING:  # it was paused before this worker took it
            raise LostLease
        following = self.following
        reader = LineReader(conversion.lines_of(run)) if following is None else following.reader
        with closing(reader) if following is None else nullcontext():
            while True:
                is_whole = following is None or following.is_over
                some = reader.take(BATCH_BYTES[connection.vendor], run.position)
                if some is not None:
                    yield self._store(run, some)
                elif is_whole:
                    break
                else:
                    yield Batch(number=0)  # nothing is converted yet: the lease is renewed
        if following is not None and following.failure:
            raise ImportUnreadable(following.failure)
        if run.stored + run.rejected + run.left_out != run.total:
            run.error = _INCOMPLETE  # for `ended`
            raise ImportUnreadable(_INCOMPLETE)

    def _store(self, run: DataImport, some: ConvertedRows) -> Batch:
        found = some.records
        if run.is_dry_run:
            new = len(found) - store.known_ids(run.data_set_id, [record.id for record in found])
        else:
            new = store.store_batch(run.data_set_id, found, token_id=run.token_id).new
            registry.RECORDS.add("written", number=len(found))
        run.position = some.position
        run.new += new
        run.replaced += some.number - new
        return Batch(number=some.number, passed=some.number)

    def ended(self, run: DataImport, error: str) -> None:
        """Set the state, in the transaction that ends the run."""
        state = ImportState.FAILED if error else ImportState.FINISHED
        message = (self.following.failure if self.following is not None else "") or run.error
        DataImport.objects.filter(pk=run.pk).update(state=state, error=message or error, changed_at=Now())
        self.note_end(run, error)

    def note_end(self, run: DataImport, error: str) -> None:
        after = {"import": str(run.pk), "dry_run": run.is_dry_run, "stored": run.stored, "rejected": run.rejected}
        verb = "failed_import" if error else "finished_import"
        audit.record(run.actor, verb, run.data_set, after=after)


def _pace() -> Pace:
    return Pace(rest_by_work=conversion.REST_BY_WORK)


JOB = ImportJob(name="import", task_seconds=SLICE_SECONDS, new_pace=_pace)
