"""How clean-up stands, in one place: what the page shows, and what the overview and the deep check judge.

Source: Staff console §2.1, §2.17; Developer experience §13.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from config import models
from config.console.clean_up import schedule
from config.console.clean_up.rules import Due, Rule, registered
from config.console.models import RetentionRun

OVERDUE_AFTER = timedelta(hours=26)  # a nightly rule that has missed its night
SEEN_WITHIN_SECONDS = 30  # the clock renews every 5 s, a worker every 10 s


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """One line of the page: a rule, what it would remove now, and its runs. next_run: None while one is going."""

    rule: Rule
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


def of(rule: Rule) -> RuleState:
    running = RetentionRun.objects.filter(rule=rule.name, finished_at=None).first()
    last = RetentionRun.objects.filter(rule=rule.name).exclude(finished_at=None).order_by("-started_at").first()
    next_run = None if running else schedule.next_run(rule)
    return RuleState(rule=rule, due=list(rule.preview()), running=running, last=last, next_run=next_run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """When a run last came to its end, and which rules failed in their last one."""

    finished_at: datetime | None
    failed: list[str]

    @property
    def is_overdue(self) -> bool:
        return self.finished_at is None or timezone.now() - self.finished_at > OVERDUE_AFTER


def last() -> Last:
    finished = RetentionRun.objects.exclude(finished_at=None).order_by("-started_at")
    newest = finished.values_list("finished_at", flat=True).first()
    last_runs = [
        (rule, finished.filter(rule=rule.name).values_list("error", flat=True).first()) for rule in registered()
    ]
    return Last(finished_at=newest, failed=[rule.title for rule, error in last_runs if error])


def missing_processes() -> list[str]:
    """Return which of the two it takes have not been seen lately: `worker`, `clock`."""
    return [name for name in ("worker", "clock") if not models.is_there(name, within_seconds=SEEN_WITHIN_SECONDS)]
