"""Run a rule of clean-up, as the clock would."""

from config.console.clean_up import rules, runs
from config.console.models import RetentionRun, Trigger


def clean_up(name: str) -> RetentionRun:
    """Return the row of the run."""
    rule = rules.named(name)
    assert rule, name
    return runs.run(rule, Trigger.CLOCK)
