"""What became of each rule: for monitors, which ask more often than people do."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, Sum

from config.console.clean_up import rules
from config.console.models import RetentionRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a rule has removed in all its runs, and when one last came to its end; None: never."""

    rule: str
    removed: int
    last_success: datetime | None


def of_all_rules() -> Iterator[Outcome]:
    well = Max("finished_at", filter=Q(error=""))
    runs = RetentionRun.objects.order_by().values("rule").annotate(total=Sum("removed"), well=well)
    found: dict[str, Any] = {run["rule"]: run for run in runs}
    for rule in rules.registered():
        run = found.get(rule.name, {"total": 0, "well": None})
        yield Outcome(rule=rule.name, removed=run["total"], last_success=run["well"])
