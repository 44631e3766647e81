"""Run a clean-up rule like the clock."""

from config.jobs import retention, rules
from config.jobs.models import RetentionRun, Trigger


def clean_up(name: str) -> RetentionRun:
    """Run the rule and return the row of the run."""
    rule = rules.named(name)
    assert rule, name
    return retention.run(rule, Trigger.CLOCK)
