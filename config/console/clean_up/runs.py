"""One run of one rule: a row that says what it removed, in turns that may end, die, or meet another.

The row is the truth. One unfinished row a rule is all the database lets in, so nothing is started twice; the process
that works on it says so in every batch, and one that has been silent for LEASE is taken for dead: its run is closed
with that as its error, and what it left is found by the next. Source: Staff console §2.17.
"""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import structlog
from django.db import IntegrityError, OperationalError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from config.console import audit, turns
from config.console.audit import Actor
from config.console.clean_up.rules import Removed, Rule
from config.console.models import ActorKind, RetentionRun, Trigger
from config.console.turns import LEASE, LostRun

TURN_SECONDS = 15  # then the worker sees to other things first
DIED = "The process that ran it ended in the middle. What it left goes with the next run."

log = structlog.get_logger()


def start(rule: Rule, trigger: Trigger, by: Any = None) -> tuple[RetentionRun, bool]:
    """Open a run and return it with True; where one is going already, that one with False.

    by: the user, for Trigger.PERSON
    """
    close_dead(rule)
    try:
        with transaction.atomic():
            return RetentionRun.objects.create(rule=rule.name, trigger=trigger, by=by), True
    except IntegrityError:
        going = current(rule)
        return (going, False) if going else start(rule, trigger, by)


def run(rule: Rule, trigger: Trigger, by: Any = None, *, older_than: timedelta | None = None) -> RetentionRun:
    """Run a rule to its end and return its row; a failure is in the row. One that is going already is joined."""
    row, _ = start(rule, trigger, by)
    remove = rule.remove
    if older_than is not None and rule.aged is not None:
        aged = rule.aged

        def remove() -> Iterator[Removed]:
            return aged(older_than)

    take_turn(row, remove)
    row.refresh_from_db()
    return row


def take_turn(row: RetentionRun, remove: Callable[[], Iterator[Removed]], seconds: float | None = None) -> bool:
    """Work on a run for so long, or to its end; returns whether more is left. Holds nobody up between batches.

    Nothing is done where the run is over, or another process has its turn.
    """
    holder = turns.take(RetentionRun.objects.all(), row.pk)
    if not holder:
        return False
    row.refresh_from_db()
    ends_at = None if seconds is None else time.monotonic() + seconds
    errors: dict[str, str] = {}  # of this turn: what failed in an earlier one is tried again
    try:
        is_over = _work(row, holder, remove(), errors, ends_at)
    except LostRun:
        log.warning("clean_up.lost", rule=row.rule)
        return False
    except Exception as error:  # the last resort of whatever the rules of both areas may do: it belongs into the row
        log.error("clean_up.failed", rule=row.rule, exc_info=error)
        _finish(row, holder, reason_of(error))
        return False
    if is_over:
        _finish(row, holder, _summary(errors))
    else:
        turns.give_back(RetentionRun.objects.all(), row.pk, holder)
    return not is_over


def current(rule: Rule) -> RetentionRun | None:
    return RetentionRun.objects.filter(rule=rule.name, finished_at=None).first()


def close_dead(rule: Rule) -> bool:
    """Close the run of a process that died. Returns whether there was one."""
    silent = RetentionRun.objects.filter(rule=rule.name, finished_at=None, seen_at__lt=Now() - LEASE)
    return silent.update(finished_at=timezone.now(), error=DIED, holder="") > 0


def abandon(row: RetentionRun, error: str) -> None:
    """Close a run that nobody can work on."""
    RetentionRun.objects.filter(pk=row.pk, finished_at=None).update(finished_at=timezone.now(), error=error)


def reason_of(error: Exception) -> str:
    """Say what went wrong without what a row or a caller holds, which messages of exceptions may quote."""
    kind = type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        return f"{kind}: {error.strerror}"
    if isinstance(error, OperationalError):
        return f"{kind}: {str(error).partition(chr(10))[0][:200]}"
    return kind


def _work(
    row: RetentionRun, holder: str, batches: Iterator[Removed], errors: dict[str, str], ends_at: float | None
) -> bool:
    """Go through the batches; returns whether they came to their end."""
    of_places: dict[str, int] = dict(row.detail.get("removed", {}))
    began = time.monotonic()
    for batch in batches:
        if batch.number:
            of_places[batch.label] = of_places.get(batch.label, 0) + batch.number
        if batch.error:
            errors[batch.label] = batch.error
        row.removed += batch.number
        row.detail = {"removed": of_places, **({"errors": errors} if errors else {})}
        if not _mine(row, holder).update(removed=row.removed, detail=row.detail, seen_at=Now()):
            raise LostRun
        if ends_at is not None and time.monotonic() > ends_at:
            return False
        turns.rest(began)
        began = time.monotonic()
    return True


@transaction.atomic
def _finish(row: RetentionRun, holder: str, error: str) -> None:
    finished_at = timezone.now()
    if not _mine(row, holder).update(finished_at=finished_at, error=error, holder="", seen_at=Now()):
        return
    if row.removed or error or row.trigger != Trigger.CLOCK:
        after: dict[str, object] = {"rule": row.rule, "removed": row.removed}
        if error:
            after["error"] = error
        verb = "failed" if error else "ran"
        audit.record(_actor(row), verb, object_kind="retentionrun", object_id=row.pk, after=after)


def _actor(row: RetentionRun) -> Actor:
    if row.trigger == Trigger.PERSON and row.by is not None:
        return Actor(kind=ActorKind.USER, id=str(row.by.pk), label=row.by.get_username())
    return audit.COMMAND if row.trigger == Trigger.COMMAND else audit.CLOCK


def _summary(errors: dict[str, str]) -> str:
    return "; ".join(f"{label}: {error}" for label, error in errors.items())


def _mine(row: RetentionRun, holder: str) -> Any:
    return turns.mine(RetentionRun.objects.all(), row.pk, holder)
