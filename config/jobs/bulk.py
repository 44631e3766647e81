"""Bulk jobs: one change of many rows. A worker does it if there are more than BACKGROUND_OVER rows.

    BulkJob(name="revoke-keys", verb="Revoke", noun="API key", done="revoked", work=over_rows(revoke))

A batch and the position of the run are one transaction. So if a process is killed, no row is changed twice and none is
left out. Source: docs/reference/console.md §1.2 T11.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.core.exceptions import SuspiciousOperation
from django.db import transaction

from config import formats
from config.jobs import registry
from config.jobs.batch_size import MOST
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch, Job

BACKGROUND_OVER = 1_000  # rows; Staff console §1.2 T11

Work = Callable[[BulkJobRun, Pace], Iterator[Batch]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkJob(Job):
    """One change that can be made to many rows.

    verb, noun, done: "Revoke", "API key", "revoked": the title is "Revoke 12 480 API keys".
    work:   returns the batches of a run from its position on
    after:  a sentence for the end of the result
    at_end: records the whole job, in the transaction that ends it
    link:   returns the label and the URL of a button on the page of a run that is done, or None
    """

    verb: str
    noun: str
    done: str
    work: Work
    after: str = ""
    at_end: Callable[[BulkJobRun], None] | None = None
    link: Callable[[BulkJobRun], tuple[str, str] | None] | None = None

    def batches(self, run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
        return self.work(run, pace)

    def ended(self, run: BulkJobRun, error: str) -> None:
        if self.at_end and not error:
            self.at_end(run)

    def title(self, run: BulkJobRun) -> str:
        return f"{self.verb} {formats.counted(run.total, self.noun)}{_from(run)}"

    def result(self, run: BulkJobRun) -> str:
        """Return a sentence with the result."""
        return f"{formats.counted(run.changed, self.noun)} {self.done}{_from(run)}. {self.after}".rstrip()


def over_rows(change: Callable[[BulkJobRun, Sequence[str]], int]) -> Work:
    """Return the work that passes the rows of a run to `change` in batches. `change` returns how many it changed."""

    def batches(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
        while some := run.rows[run.position : run.position + pace.at_once]:
            yield Batch(passed=len(some), number=change(run, some))

    return batches


def named(name: str) -> BulkJob | None:
    job = registry.named(name)
    return job if isinstance(job, BulkJob) else None


def do_now(run: BulkJobRun) -> str:
    """Do a whole run in one transaction, without storing it, and return the result.

    The job may prepare its batches, such as by reading a file, before the transaction.
    """
    job = _job_of(run)
    batches = job.batches(run, Pace(first=MOST))
    with transaction.atomic():
        for batch in batches:
            run.add(batch, {})
        job.ended(run, "")
    return job.result(run)


def start(run: BulkJobRun) -> bool:
    """Store a run for the workers. Return False if its form was sent before.

    Raises SuspiciousOperation if another user sent it."""
    _job_of(run)
    columns = {field.attname: getattr(run, field.attname) for field in run._meta.concrete_fields}
    stored, is_new = BulkJobRun.objects.get_or_create(
        pk=run.pk, defaults={name: value for name, value in columns.items() if name not in {"id", "seen_at"}}
    )
    if not is_new and stored.by_id != run.by_id:
        raise SuspiciousOperation
    return is_new


def _job_of(run: BulkJobRun) -> BulkJob:
    job = named(run.kind)
    if job is None:
        raise LookupError(f"No area has registered the bulk job {run.kind}")
    return job


def _from(run: BulkJobRun) -> str:
    name = run.arguments.get("name")
    return f" from {name}" if name else ""
