"""How an endpoint does: since when it fails, and that it is left alone when it has failed for three days or is gone.

Source: the sending contract §20; Security and reliability §11.
"""

from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models.functions import Now

from config.console import audit, titles
from notifications.models import CallbackEndpoint, PauseReason

FAILS_AT_MOST = timedelta(days=3)  # nothing but failures

log = structlog.get_logger()


def note_success(endpoint: CallbackEndpoint) -> None:
    """Forget former failures: costs nothing where there were none when the call began."""
    if endpoint.failing_since is not None:
        _row(endpoint).update(failing_since=None)


def note_failure(endpoint: CallbackEndpoint) -> None:
    """Begin to count, or pause the endpoint where it has been failing for three days."""
    if _row(endpoint).filter(failing_since=None).update(failing_since=Now()):
        return
    if _row(endpoint).filter(failing_since__lte=Now() - FAILS_AT_MOST).exists():
        pause(endpoint, PauseReason.FAILING)


def pause(endpoint: CallbackEndpoint, reason: PauseReason, by: audit.Actor = audit.CLOCK) -> bool:
    """Leave an endpoint alone from now on; its owners are told of a pause that none of them has made.

    Returns whether it was not paused before. What is owed meanwhile waits until somebody resumes it.
    """
    told_at = None if reason == PauseReason.PERSON else Now()
    with transaction.atomic():
        running = _row(endpoint).filter(paused_at=None)
        is_new = running.update(paused_at=Now(), pause_reason=reason, paused_by=by.label, tell_owners_at=told_at)
        if is_new:
            _audit(endpoint, "paused", by, {"pause_reason": reason.value})
    if is_new:
        log.warning("callback.paused", endpoint_id=str(endpoint.id), reason=reason.value)
    return bool(is_new)


def resume(endpoint: CallbackEndpoint, by: audit.Actor) -> bool:
    """Send again, beginning with what waits. Returns whether it was paused."""
    with transaction.atomic():
        paused = _row(endpoint).exclude(paused_at=None)
        is_new = paused.update(paused_at=None, pause_reason="", paused_by="", tell_owners_at=None, failing_since=None)
        if is_new:
            _audit(endpoint, "resumed", by, None)
    return bool(is_new)


def _audit(endpoint: CallbackEndpoint, verb: str, by: audit.Actor, after: dict[str, object] | None) -> None:
    audit.record(
        by,
        verb,
        object_kind=endpoint._meta.model_name or "",
        object_id=endpoint.pk,
        label=titles.masked(endpoint),
        service_id=endpoint.service_id,
        after=after,
    )


def _row(endpoint: CallbackEndpoint) -> Any:  # Any: the query set of one row
    return CallbackEndpoint.objects.filter(pk=endpoint.pk)
