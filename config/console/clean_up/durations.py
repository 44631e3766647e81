"""How long a run took, in words; and how long both areas keep what was refused."""

from datetime import timedelta

from config.console.models import RetentionRun

REFUSALS_ARE_KEPT_FOR = timedelta(days=30)  # no contract says it: long enough to ask a caller about them


def took(run: RetentionRun) -> str:
    if run.finished_at is None:
        return "not over"
    seconds = max((run.finished_at - run.started_at).total_seconds(), 0)
    if seconds < 1:
        return "under 1 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
