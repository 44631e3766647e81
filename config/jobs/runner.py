"""The one runner of jobs: it works on a run batch by batch, under a lease, and stores the progress after each batch.

The row of the run is the truth. If a worker dies, the lease expires after LEASE_SECONDS. Then a run that
resumes continues, and any other run is closed as failed by the next start.
"""

import time
from contextlib import AbstractContextManager, nullcontext

import structlog
from django.db import OperationalError, transaction
from django.utils import timezone

from config import failure
from config.databases.clock import ClockDiffers
from config.jobs.models import LEASE_SECONDS, JobRun
from config.jobs.registry import Job
from config.queue.lease import Lease, LostLease

UNKNOWN = "This installation lacks the area that runs this job."

log = structlog.get_logger()


def lease_of(run: JobRun) -> Lease:
    """Return a lease of a run, which is not taken yet. A run that has ended can have none."""
    return Lease(rows=type(run)._default_manager.filter(pk=run.pk, finished_at=None), seconds=LEASE_SECONDS)


def work(run: JobRun, job: Job | None, seconds: float | None = None, lease: Lease | None = None) -> bool:
    """Work on a run for `seconds` or to its end. Return whether work is left. A failure is stored in the row.

    Do nothing if the run has ended or another process works on it.
    lease: the caller's, if it has prepared the work under it
    """
    lease = lease or lease_of(run)
    if not lease.take():
        return False
    run.refresh_from_db()
    errors: dict[str, str] = {}  # of this task; an earlier failure is tried again
    try:
        reason = run.forbidden() if job else UNKNOWN
        is_over = bool(reason) or job is None or _work(run, job, lease, errors, seconds)
    except LostLease:
        log.warning("job.lost", job=run.job_name)
        return False
    except Exception as error:  # a job may raise anything, and the row must show it
        if run.resumes and isinstance(error, OperationalError):
            raise  # the database is unavailable: the lease expires, and a later task goes on
        log.error("job.failed", job=run.job_name, exc_info=error)
        is_over, reason = True, reason_of(error)
    if not is_over:
        return lease.release()
    with transaction.atomic():
        reason = reason or "; ".join(f"{label}: {error}" for label, error in errors.items())
        if lease.release(finished_at=timezone.now(), error=reason) and job:
            job.ended(run, reason)
    if reason:
        log.error("job.over", job=run.job_name, is_well=False, reason=reason)
    else:
        log.info("job.over", job=run.job_name, is_well=True)
    return False


def reason_of(error: Exception) -> str:
    """Return the type and place of an exception. Its message may contain values of rows or requests."""
    if isinstance(error, ClockDiffers):
        return f"Nothing was removed: {error}."
    described = failure.described(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{described}: {error.strerror}"
    if isinstance(error, OperationalError):
        return f"{described}: {str(error).partition(chr(10))[0][:200]}"
    return described


def _work(run: JobRun, job: Job, lease: Lease, errors: dict[str, str], seconds: float | None) -> bool:
    """Run the batches. Return whether all are done."""
    ends_at = None if seconds is None else time.monotonic() + seconds
    pace = job.new_pace()
    batches = job.batches(run, pace)
    while True:
        pace.begin()
        with _together(run):
            batch = next(batches, None)
            if batch is None:
                return True
            if batch.error:
                errors[batch.label] = batch.error
            lease.renew(**run.add(batch, errors))
        pace.end(batch.passed)
        if ends_at is not None and time.monotonic() > ends_at:
            return False
        pace.rest()


def _together(run: JobRun) -> AbstractContextManager[object]:
    """Return the transaction of a batch and its progress, for a run that resumes where it was interrupted."""
    return transaction.atomic() if run.resumes else nullcontext()
