"""Pause and resume a channel or a provider. Workers hand nothing over through it until it is resumed.

Source: docs/reference/security.md §11; docs/reference/console.md §3.14.
"""

from threading import Lock

import structlog
from cachetools import TTLCache, cached
from django.db import IntegrityError, transaction
from django.utils import timezone

from config import audit
from notifications.models import PauseKind, SendingPause

CACHED_SECONDS = 2.0  # each process reads the pauses again after this time

log = structlog.get_logger()


@cached(TTLCache(1, CACHED_SECONDS), lock=Lock())
def _current() -> frozenset[tuple[str, str]]:
    return frozenset(SendingPause.objects.current().values_list("kind", "name"))


def forget_cached() -> None:
    """Read the pauses again at their next use in this process."""
    _current.cache_clear()


def is_paused(kind: PauseKind, name: str) -> bool:
    """Return whether the channel or provider is paused. A pause by another process is seen up to 2 s later."""
    return (kind.value, name) in _current()


def is_any() -> bool:
    return bool(_current())


def pause(kind: PauseKind, name: str, by: audit.Actor, reason: str = "") -> bool:
    """Pause a channel or provider. Return False if it was already paused."""
    try:
        with transaction.atomic():
            SendingPause.objects.create(kind=kind, name=name, by=by.label, reason=reason)
            audit.record(by, "paused", object_kind=kind.value, object_id=name, label=name, reason=reason)
    except IntegrityError:
        return False
    log.warning("sending.paused", kind=kind.value, name=name)
    forget_cached()
    return True


def resume(kind: PauseKind, name: str, by: audit.Actor) -> bool:
    """Resume a channel or provider. Return False if it was not paused. The caller wakes the workers."""
    with transaction.atomic():
        current = SendingPause.objects.current().filter(kind=kind, name=name)
        if not current.update(ended_at=timezone.now(), ended_by=by.label):
            return False
        audit.record(by, "resumed", object_kind=kind.value, object_id=name, label=name)
    log.info("sending.resumed", kind=kind.value, name=name)
    forget_cached()
    return True
