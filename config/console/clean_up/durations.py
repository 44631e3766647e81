"""How long a run took, in words; and how long both areas keep what was refused."""

from datetime import timedelta

from config.console import cells
from config.console.models import RetentionRun

REFUSALS_ARE_KEPT_FOR = timedelta(days=30)  # no contract says it: long enough to ask a caller about them


def took(run: RetentionRun) -> str:
    if run.finished_at is None:
        return "not over"
    return cells.duration(max((run.finished_at - run.started_at).total_seconds(), 0))
