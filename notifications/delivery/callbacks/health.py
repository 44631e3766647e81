"""The health of an endpoint. After three days of failures, or an answer 410, its callbacks are paused.

Source: docs/reference/sending-api.md §20; docs/reference/security.md §11.
"""

from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models.functions import Now

from config import audit
from notifications.models import CallbackEndpoint, PauseReason

FAILS_AT_MOST = timedelta(days=3)  # without a success

log = structlog.get_logger()


def note_success(endpoint: CallbackEndpoint) -> None:
    """End a series of failures. Runs no statement if the endpoint had none when the call started."""
    if endpoint.failing_since is not None:
        _row(endpoint).update(failing_since=None)


def note_failure(endpoint: CallbackEndpoint) -> None:
    """Note the start of a series of failures, or pause the endpoint after three days of failures.

    The callbacks of single requests have many URLs, so Signalbox never pauses them for the failures of some.
    """
    if _row(endpoint).filter(failing_since=None).update(failing_since=Now()):
        return
    if endpoint.is_of_requests:
        return
    if _row(endpoint).filter(failing_since__lte=Now() - FAILS_AT_MOST).exists():
        pause(endpoint, PauseReason.FAILING)


def pause(endpoint: CallbackEndpoint, reason: PauseReason, by: audit.Actor = audit.CLOCK) -> bool:
    """Pause an endpoint and return whether it was running. Its owners get an email if no person paused it.

    Its callbacks wait until a person resumes it.
    """
    notify_owners_at = None if reason == PauseReason.PERSON else Now()
    with transaction.atomic():
        running = _row(endpoint).filter(paused_at=None)
        is_new = running.update(
            paused_at=Now(), pause_reason=reason, paused_by=by.label, notify_owners_at=notify_owners_at
        )
        if is_new:
            _audit(endpoint, "paused", by, {"pause_reason": reason.value})
    if is_new:
        log.warning("callback.paused", endpoint_id=str(endpoint.id), reason=reason.value)
    return bool(is_new)


def resume(endpoint: CallbackEndpoint, by: audit.Actor) -> bool:
    """Resume an endpoint, starting with the callbacks that wait. Return whether it was paused."""
    with transaction.atomic():
        paused = _row(endpoint).exclude(paused_at=None)
        is_new = paused.update(paused_at=None, pause_reason="", paused_by="", notify_owners_at=None, failing_since=None)
        if is_new:
            _audit(endpoint, "resumed", by, None)
    return bool(is_new)


def _audit(endpoint: CallbackEndpoint, verb: str, by: audit.Actor, after: dict[str, object] | None) -> None:
    audit.record(by, verb, endpoint, after=after)


def _row(endpoint: CallbackEndpoint) -> Any:  # Any: a query set with one row
    return CallbackEndpoint.objects.filter(pk=endpoint.pk)
