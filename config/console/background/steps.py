"""Begin a step over many rows, and work on it by turns that may end, die, or meet another.

A batch and the step's position are one transaction: whoever is killed loses a batch that has not happened, and the next
turn begins where the last one that was stored has ended. Nothing is done twice, and nothing is left out.
"""

import time

import structlog
from django.core.exceptions import SuspiciousOperation
from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from config.console import audit, turns
from config.console.audit import Actor
from config.console.background import kinds
from config.console.background.kinds import Kind
from config.console.clean_up.pace import MOST, Pace
from config.console.clean_up.runs import reason_of
from config.console.models import ActorKind, BackgroundStep

BACKGROUND_OVER = 1_000  # rows; Staff console §1.2 T11
TURN_SECONDS = 15  # then the worker sees to other things first
NOBODY = "The account that started it may no longer sign in."

log = structlog.get_logger()


def do_now(step: BackgroundStep) -> BackgroundStep:
    """Do all of a step that is not stored, in one transaction."""
    kind = _kind_of(step)
    with transaction.atomic():
        while not _pass(step, kind, MOST):
            pass
    return step


def begin(step: BackgroundStep) -> bool:
    """Store a step for the workers; False where its form was sent before. Raises SuspiciousOperation for another's."""
    _kind_of(step)
    stored, is_new = BackgroundStep.objects.get_or_create(
        pk=step.pk,
        defaults={
            field.attname: getattr(step, field.attname)
            for field in step._meta.concrete_fields
            if not field.primary_key and field.name != "seen_at"
        },
    )
    if not is_new and stored.by_id != step.by_id:
        raise SuspiciousOperation
    return is_new


def take_turn(step_id: str, seconds: float | None = None) -> bool:
    """Work on a step for so long, or to its end; returns whether more is left."""
    holder = turns.take(_rows(), step_id)
    if not holder:
        return False
    step = _rows().select_related("by").get(pk=step_id)
    try:
        is_over = _work(step, holder, None if seconds is None else time.monotonic() + seconds)
    except turns.LostRun:
        log.warning("background_step.lost", kind=step.kind)
        return False
    except OperationalError:
        raise  # nothing can be written now: the lease ends, and the next turn goes on
    except Exception as error:  # the last resort of whatever both areas may do to a row: it belongs into the step
        log.error("background_step.failed", kind=step.kind, exc_info=error)
        _stop(step, holder, reason_of(error))
        return False
    if not is_over:
        turns.give_back(_rows(), step.pk, holder)
    return not is_over


def left_behind() -> list[str]:
    """Return the steps nobody works on: the queue has lost the hint of their next turn, or their process died."""
    idle = Q(holder="", seen_at__lt=Now() - turns.FORGOTTEN_AFTER)
    dead = Q(seen_at__lt=Now() - turns.LEASE)
    return [str(pk) for pk in _rows().filter(idle | dead, finished_at=None).values_list("pk", flat=True)]


def actor_of(step: BackgroundStep) -> Actor:
    """Return the person who started a step, for the audit."""
    by = step.by
    if by is None:
        return audit.CLOCK
    return Actor(
        kind=ActorKind.USER, id=str(by.pk), label=by.get_username(), network_address=step.network_address or None
    )


def author_of(step: BackgroundStep) -> str:
    """Return what rows keep of who changed them."""
    return audit.author_of(step.by) if step.by else ""


def _work(step: BackgroundStep, holder: str, ends_at: float | None) -> bool:
    """Go through the batches; returns whether they came to their end."""
    kind, pace = kinds.named(step.kind), Pace()
    if kind is None or step.by is None or not step.by.is_active:
        _stop(step, holder, "No area that is installed knows this step." if kind is None else NOBODY)
        return True
    while True:
        began = time.monotonic()
        pace.begin()
        with transaction.atomic():
            at = step.position
            is_over = _pass(step, kind, pace.at_once)
            ended = {"finished_at": timezone.now(), "holder": ""} if is_over else {}
            moved = {"position": step.position, "changed": step.changed, "seen_at": Now(), **ended}
            if not turns.mine(_rows(), step.pk, holder).update(**moved):
                raise turns.LostRun
        pace.end(step.position - at)
        if is_over:
            log.info("background_step.over", kind=step.kind, changed=step.changed)
            return True
        if ends_at is not None and time.monotonic() > ends_at:
            return False
        turns.rest(began)


def _pass(step: BackgroundStep, kind: Kind, at_once: int) -> bool:
    """Do one batch and move the row object on; returns whether it was the last."""
    batch = kind.batch(step, at_once)
    step.position += batch.passed
    step.changed += batch.changed
    return batch.is_last


def _stop(step: BackgroundStep, holder: str, error: str) -> None:
    ended = {"finished_at": timezone.now(), "error": error, "holder": "", "seen_at": Now()}
    turns.mine(_rows(), step.pk, holder).update(**ended)


def _kind_of(step: BackgroundStep) -> Kind:
    kind = kinds.named(step.kind)
    if kind is None:
        raise LookupError(f"No admin has registered the step {step.kind}")
    return kind


def _rows() -> QuerySet[BackgroundStep]:
    return BackgroundStep.objects.all()
