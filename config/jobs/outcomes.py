"""The outcome of each retention rule, for /metrics and health checks."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, Sum

from config.jobs import rules
from config.jobs.models import RetentionRun
from config.queue.periodic import PeriodicJob


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOutcome:
    """The number of rows that a rule has removed in all runs, and the time of its last success.

    expected_since: when a clock first expected it, or None
    """

    rule: str
    removed: int
    last_success: datetime | None
    expected_since: datetime | None


def of_all_rules() -> Iterator[RuleOutcome]:
    well = Max("finished_at", filter=Q(error=""))
    runs = RetentionRun.objects.order_by().values("rule").annotate(total=Sum("removed"), well=well)
    found: dict[str, Any] = {run["rule"]: run for run in runs}
    expected = dict(PeriodicJob.objects.values_list("name", "expected_since"))
    for rule in rules.registered():
        run = found.get(rule.name, {"total": 0, "well": None})
        since = expected.get(rule.job_name)
        yield RuleOutcome(rule=rule.name, removed=run["total"], last_success=run["well"], expected_since=since)
