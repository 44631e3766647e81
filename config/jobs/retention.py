"""Runs of retention rules: one at a time for each rule, by a constraint. Source: docs/reference/console.md §2.17."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any  # the user of a request

from django.db import IntegrityError, transaction
from django.utils import timezone

from config.jobs import runner
from config.jobs.models import RetentionRun, Trigger
from config.jobs.rules import RetentionRule

DIED = "The process ended before the run did. The next run removes the rest."


def start(rule: RetentionRule, trigger: Trigger, by: Any = None) -> tuple[RetentionRun, bool]:
    """Create a run and return it with True, or return the running one with False.

    by: the user, for Trigger.PERSON
    """
    close_dead(rule)
    try:
        with transaction.atomic():
            return RetentionRun.objects.create(rule=rule.name, trigger=trigger, by=by), True
    except IntegrityError:
        running = current(rule)
        return (running, False) if running else start(rule, trigger, by)


def run(rule: RetentionRule, trigger: Trigger, by: Any = None, *, older_than: timedelta | None = None) -> RetentionRun:
    """Run a rule to its end and return its row, which also stores a failure. Join a run that has started."""
    row, _ = start(rule, trigger, by)
    if older_than is not None and rule.aged is not None:
        rule = replace(rule, remove=partial(rule.aged, older_than))
    runner.work(row, rule)
    row.refresh_from_db()
    return row


def current(rule: RetentionRule) -> RetentionRun | None:
    return RetentionRun.objects.filter(rule=rule.name, finished_at=None).first()


def close_dead(rule: RetentionRule) -> bool:
    """Close the run of a process that died. Return whether there was one."""
    abandoned = RetentionRun.objects.abandoned().filter(rule=rule.name)
    closed = abandoned.update(finished_at=timezone.now(), error=DIED, holder="")
    if closed:
        rule.note(DIED)
    return closed > 0
