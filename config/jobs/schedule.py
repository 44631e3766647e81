"""Compute when the clock runs each retention rule next, from the rule's interval and the rows of its runs.

A missed nightly run is caught up. A failed run is retried after an hour. A crashed run is retried at once, but only
once, so that a rule that crashes its process does not do so all day. Source: docs/reference/console.md §2.17.
"""

from datetime import UTC, datetime, time, timedelta

from django.utils import timezone

from config.jobs import retention
from config.jobs.models import RetentionRun
from config.jobs.rules import RetentionRule, registered
from config.utc_days import day_of

NIGHT = time(3, tzinfo=UTC)
TRIED_AGAIN_AFTER = timedelta(hours=1)
_FIRST_NIGHT_LASTS = timedelta(hours=1)  # of a new installation, where the clock may start late


def due(now: datetime | None = None) -> list[RetentionRule]:
    """Return the rules that are due and not running."""
    moment = now or timezone.now()
    return [rule for rule in registered() if _is_due(rule, moment)]


def intervals() -> dict[str, timedelta]:
    """Return the interval of each rule by the name of its job."""
    return {rule.job_name: rule.every or timedelta(days=1) for rule in registered()}


def newest_runs(rule: RetentionRule) -> list[RetentionRun]:
    """Return the two newest runs, the newest first. At most one of them is running."""
    return list(RetentionRun.objects.filter(rule=rule.name).order_by("-started_at")[:2])


def next_run(rule: RetentionRule, now: datetime | None = None, runs: list[RetentionRun] | None = None) -> datetime:
    """Return when the clock runs this rule next; a moment in the past means within the next minute.

    runs: the newest two, if the caller has read them
    """
    moment = now or timezone.now()
    last, before = [*(newest_runs(rule) if runs is None else runs), None, None][:2]
    if last is None:
        return _first_run(rule, moment)
    if last.error == retention.DIED and (before is None or before.error != retention.DIED):
        return last.finished_at or moment
    regular = last.started_at + rule.every if rule.every else _night_after(last.started_at)
    return min(regular, last.started_at + TRIED_AGAIN_AFTER) if last.error else regular


def _is_due(rule: RetentionRule, now: datetime) -> bool:
    retention.close_dead(rule)
    return retention.current(rule) is None and next_run(rule, now) <= now


def _first_run(rule: RetentionRule, now: datetime) -> datetime:
    if rule.every:
        return now
    since = RetentionRun.objects.order_by("started_at").values_list("started_at", flat=True).first()
    return _night_after(since or now - _FIRST_NIGHT_LASTS)


def _night_after(moment: datetime) -> datetime:
    day = day_of(moment)
    tonight = datetime.combine(day, NIGHT)
    return tonight if tonight > moment else tonight + timedelta(days=1)
