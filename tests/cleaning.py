"""Run a rule of clean-up, as the clock would."""

from config.jobs import retention, rules
from config.jobs.models import RetentionRun, Trigger


def clean_up(name: str) -> RetentionRun:
    """Return the row of the run."""
    rule = rules.named(name)
    assert rule, name
    return retention.run(rule, Trigger.CLOCK)
