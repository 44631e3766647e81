"""Run a clean-up rule like the clock."""

from django.test import override_settings

from config.jobs import retention, rules
from config.jobs.models import RetentionRun, Trigger


def clean_up(name: str) -> RetentionRun:
    """Run the rule and return the row of the run. A test may have stopped the clock, which is no difference here."""
    rule = rules.named(name)
    assert rule, name
    with override_settings(MOST_CLOCK_DIFFERENCE_SECONDS=10**9):
        return retention.run(rule, Trigger.CLOCK)
