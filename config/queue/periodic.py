"""How the periodic jobs end: a row for each scheduled task and each clean-up rule, with the time of the database.

A process that is there can still fail at all its work: after its broker connection was closed, a worker noted its
presence every 10 s while each sweep failed. So readiness and the health checks look at the results.
Source: docs/reference/running.md §13.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, models
from django.db.models import F
from django.db.models.functions import Coalesce, Now

from config import failure, formats

FAILURES = 3  # in a row
INTERVALS = 3
SHORTEST_DELAY = timedelta(seconds=60)  # a second clock takes over after 20 s, and tasks of 10 s must not flap


class PeriodicJob(models.Model):
    """The results of one scheduled task or clean-up rule.

    expected_since: when a clock first expected it; failures: in a row; error: of the last failure
    """

    name = models.CharField(max_length=100, primary_key=True)
    expected_since = models.DateTimeField(db_default=Now())
    ended_well_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    error = models.TextField(default="")

    class Meta:
        db_table = "periodic_job"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwell:
    """A periodic job that fails or is late, with the reason in words."""

    name: str
    reason: str


def of_schedule() -> dict[str, timedelta]:
    """Return the interval of each task that the clock publishes."""
    return {name: timedelta(seconds=entry["schedule"]) for name, entry in settings.CELERY_BEAT_SCHEDULE.items()}


def expect(names: Iterable[str]) -> None:
    """Create the rows of jobs that have none. From now on they are late if they do not end well in time."""
    missing = set(names) - set(PeriodicJob.objects.values_list("name", flat=True))
    PeriodicJob.objects.bulk_create([PeriodicJob(name=name) for name in sorted(missing)], ignore_conflicts=True)


def note_success(name: str) -> None:
    PeriodicJob.objects.filter(name=name).update(ended_well_at=Now(), failures=0, error="")


def note_failure(name: str, error: str) -> None:
    PeriodicJob.objects.filter(name=name).update(failures=F("failures") + 1, error=error)


def note_end(name: str, error: BaseException | None) -> None:
    """Store how a task has ended. If the database refuses, the task becomes late."""
    with suppress(DatabaseError):
        if error is None:
            note_success(name)
        else:
            note_failure(name, failure.described(error))


def unwell(intervals: Mapping[str, timedelta]) -> list[Unwell]:
    """Return the jobs that have failed FAILURES times in a row, or have not ended well for INTERVALS intervals."""
    found = []
    for job, age in _ages(intervals):
        if job.failures >= FAILURES:
            reason = f"failed {formats.counted(job.failures, 'time')} in a row ({job.error})"
            found.append(Unwell(name=job.name, reason=reason))
        elif age > max(intervals[job.name] * INTERVALS, SHORTEST_DELAY):
            last = f" ({job.error})" if job.error else ""
            reason = f"has not ended well for {formats.duration(age.total_seconds())}{last}"
            found.append(Unwell(name=job.name, reason=reason))
    return found


def overdue(intervals: Mapping[str, timedelta]) -> set[str]:
    """Return the jobs that have not ended well for more than one interval."""
    return {job.name for job, age in _ages(intervals) if age > intervals[job.name]}


def _ages(names: Iterable[str]) -> list[tuple[PeriodicJob, timedelta]]:
    """Return the jobs with the time since their last success, by the clock of the database."""
    since = Coalesce("ended_well_at", "expected_since")
    rows = PeriodicJob.objects.filter(name__in=list(names)).annotate(since=since, now=Now()).order_by("name")
    return [(row, row.now - row.since) for row in rows]
