"""Celery entry points of the console: the look at what is due, the turns of clean-up's runs, and those of steps.

Each may run twice at once.
"""

import structlog
from celery import shared_task
from django.db.models.functions import Now

from config import publishing
from config.console.background import steps
from config.console.clean_up import rules, runs, schedule
from config.console.models import RetentionRun, Trigger
from config.console.turns import FORGOTTEN_AFTER

log = structlog.get_logger()


@shared_task
def look_for_clean_up() -> None:
    """Start each rule that is due, and go on with what the queue has lost, every minute."""
    for rule in schedule.due():
        row, is_new = runs.start(rule, Trigger.CLOCK)
        if is_new:
            publishing.enqueue(work_on_run, str(row.pk))
    idle = RetentionRun.objects.filter(finished_at=None, holder="", seen_at__lt=Now() - FORGOTTEN_AFTER)
    for pk in idle.values_list("pk", flat=True):
        publishing.enqueue(work_on_run, str(pk))
    for step_id in steps.left_behind():
        publishing.enqueue(work_on_step, step_id)


# A batch of files may take as long as the store; the turn itself ends by the clock of `runs`.
@shared_task(soft_time_limit=240, time_limit=300)
def work_on_run(run_id: str) -> None:
    """Work on a run for a while, and ask for another turn while there is more."""
    row = RetentionRun.objects.get(pk=run_id)
    rule = rules.named(row.rule)
    if rule is None:
        runs.abandon(row, "No area that is installed knows this rule.")
    elif runs.take_turn(row, rule.remove, runs.TURN_SECONDS):
        publishing.enqueue(work_on_run, run_id)
    else:
        row.refresh_from_db()
        log.info("clean_up.run_over", rule=row.rule, removed=row.removed, is_well=not row.error)


@shared_task(soft_time_limit=240, time_limit=300)
def work_on_step(step_id: str) -> None:
    """Work on a step over many rows for a while, and ask for another turn while there is more."""
    if steps.take_turn(step_id, steps.TURN_SECONDS):
        publishing.enqueue(work_on_step, step_id)
