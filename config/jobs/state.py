"""The state of clean-up, for its page, the overview and the deep check.

Source: docs/reference/console.md §2.1, §2.17; docs/reference/running.md §13.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef
from django.utils import timezone

from config.jobs import schedule
from config.jobs.models import RetentionRun
from config.jobs.rules import Due, RetentionRule, registered
from config.queue import periodic, presence

OVERDUE_AFTER = timedelta(hours=26)  # a nightly rule that has missed its night
SEEN_WITHIN_SECONDS = 30  # the clock renews every 5 s, a worker every 10 s


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """One row of the page: a rule, the rows it would remove now, and its runs. next_run: None during a run."""

    rule: RetentionRule
    due: list[Due]
    running: RetentionRun | None
    last: RetentionRun | None
    next_run: datetime | None

    @property
    def number(self) -> int:
        return sum(due.number for due in self.due)

    @property
    def oldest(self) -> datetime | None:
        return min((due.oldest for due in self.due if due.oldest), default=None)


def of(rule: RetentionRule) -> RuleState:
    runs = schedule.newest_runs(rule)
    running = next((run for run in runs if run.finished_at is None), None)
    last = next((run for run in runs if run.finished_at is not None), None)
    next_run = None if running else schedule.next_run(rule, runs=runs)
    return RuleState(rule=rule, due=list(rule.preview()), running=running, last=last, next_run=next_run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The end of the last run, and the rules whose last run failed: title → error."""

    finished_at: datetime | None
    failed: dict[str, str]

    @property
    def is_overdue(self) -> bool:
        return self.finished_at is None or timezone.now() - self.finished_at > OVERDUE_AFTER


def last() -> Last:
    finished = RetentionRun.objects.exclude(finished_at=None).order_by("-started_at")
    newest = finished.values_list("finished_at", flat=True).first()
    newer = finished.filter(rule=OuterRef("rule"), started_at__gt=OuterRef("started_at"))
    errors = dict(finished.exclude(error="").filter(~Exists(newer)).values_list("rule", "error"))
    failed = {rule.title: errors[rule.name] for rule in registered() if rule.name in errors}
    return Last(finished_at=newest, failed=failed)


def unwell() -> list[periodic.Unwell]:
    """Return the scheduled tasks and clean-up rules that fail or are late."""
    return periodic.unwell(periodic.of_schedule() | schedule.intervals())


def missing_processes() -> list[str]:
    """Return which of `worker` and `clock` have not been seen lately."""
    return [name for name in ("worker", "clock") if not presence.is_there(name, within_seconds=SEEN_WITHIN_SECONDS)]
