"""When a rule runs next, by its own interval and the rows of its runs: whoever restarts the clock forgets nothing.

A night that nobody was awake for is made up for, a failure is tried again after an hour, and what a dead process left
at once, but only once: what kills its process each time must not do so all day. Source: Staff console §2.17.
"""

from datetime import UTC, datetime, time, timedelta

from django.utils import timezone

from config.console.clean_up import runs
from config.console.clean_up.rules import Rule, registered
from config.console.models import RetentionRun

NIGHT = time(3, tzinfo=UTC)
TRIED_AGAIN_AFTER = timedelta(hours=1)
_FIRST_NIGHT_LASTS = timedelta(hours=1)  # of an installation without any run: when the clock may be late


def due(now: datetime | None = None) -> list[Rule]:
    """Return the rules whose time has come and that nobody is at."""
    moment = now or timezone.now()
    return [rule for rule in registered() if _is_due(rule, moment)]


def next_run(rule: Rule, now: datetime | None = None) -> datetime:
    """Return when the clock runs this rule next; a moment that has passed means as soon as it looks."""
    moment = now or timezone.now()
    last, before = _last_two(rule)
    if last is None:
        return _first_run(rule, moment)
    if last.error == runs.DIED and (before is None or before.error != runs.DIED):
        return last.finished_at or moment
    regular = last.started_at + rule.every if rule.every else _night_after(last.started_at)
    return min(regular, last.started_at + TRIED_AGAIN_AFTER) if last.error else regular


def _is_due(rule: Rule, now: datetime) -> bool:
    runs.close_dead(rule)
    return runs.current(rule) is None and next_run(rule, now) <= now


def _first_run(rule: Rule, now: datetime) -> datetime:
    if rule.every:
        return now
    since = RetentionRun.objects.order_by("started_at").values_list("started_at", flat=True).first()
    return _night_after(since or now - _FIRST_NIGHT_LASTS)


def _last_two(rule: Rule) -> tuple[RetentionRun | None, RetentionRun | None]:
    found: list[RetentionRun | None] = list(RetentionRun.objects.filter(rule=rule.name).order_by("-started_at")[:2])
    last, before = [*found, None, None][:2]
    return last, before


def _night_after(moment: datetime) -> datetime:
    day = moment.astimezone(UTC).date()
    tonight = datetime.combine(day, NIGHT)
    return tonight if tonight > moment else tonight + timedelta(days=1)
