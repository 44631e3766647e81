"""Jobs that wait, run or have failed, and starting failed ones again. Source: docs/reference/console.md §3.14."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any  # runs of any kind, and the user of a request

from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from config.jobs import retention, rules
from config.jobs.models import BulkJobRun, RetentionRun, Trigger
from config.jobs.tasks import work_on_bulk_job, work_on_run
from config.queue import publishing


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """The runs of jobs that wait for a worker or that one works on. oldest: the start of the oldest"""

    waiting: int = 0
    running: int = 0
    oldest: datetime | None = None


def unfinished() -> Unfinished:
    found = [
        rows.filter(finished_at=None).aggregate(
            waiting=Count("pk", filter=Q(holder="")),
            running=Count("pk", filter=~Q(holder="")),
            oldest=Min("started_at"),
        )
        for rows in (BulkJobRun.objects.all(), RetentionRun.objects.all())
    ]
    return Unfinished(
        waiting=sum(one["waiting"] for one in found),
        running=sum(one["running"] for one in found),
        oldest=min((one["oldest"] for one in found if one["oldest"]), default=None),
    )


def bulk_jobs() -> QuerySet[BulkJobRun]:
    """Return the background jobs that failed, without those whose account is closed: they would fail again."""
    return BulkJobRun.objects.exclude(Q(finished_at=None) | Q(error="")).filter(by__is_active=True)


def clean_up() -> QuerySet[RetentionRun]:
    """Return the last run of each retention rule whose last run failed."""
    ended = RetentionRun.objects.filter(rule=OuterRef("rule")).exclude(finished_at=None).order_by("-started_at")
    return RetentionRun.objects.exclude(error="").filter(pk=Subquery(ended.values("pk")[:1]))


def start_again(by: Any) -> int:
    """Start all failed jobs again, and return their number. A background job continues after its last batch."""
    started = 0
    for run_id in bulk_jobs().values_list("pk", flat=True):
        failed = BulkJobRun.objects.filter(pk=run_id).exclude(finished_at=None)
        if failed.update(finished_at=None, error="", holder="", seen_at=Now()):
            publishing.enqueue(work_on_bulk_job, str(run_id))
            started += 1
    for name in list(clean_up().values_list("rule", flat=True)):
        rule = rules.named(name)
        if rule is not None:
            row, is_new = retention.start(rule, Trigger.PERSON, by)
            if is_new:
                publishing.enqueue(work_on_run, str(row.pk))
                started += 1
    return started
