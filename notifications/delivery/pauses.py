"""Pause and resume a channel or a provider. Workers hand nothing over through it until it is resumed.

A channel is stopped if it is paused, or if its providers are all paused. It claims no messages then. The time in which
it was stopped does not count towards the give-up time of its messages, so none of them expires because of a pause.
Source: docs/reference/security.md §11; docs/reference/console.md §3.14.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from itertools import pairwise
from threading import Lock

import structlog
from cachetools import TTLCache, cached
from django.db import IntegrityError, transaction
from django.utils import timezone

from config import audit
from notifications.models import Channel, PauseKind, SendingPause

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


def is_stopped(channel: Channel, providers: Collection[str]) -> bool:
    """Return whether nothing may be handed over. providers: the names of the channel's providers"""
    if is_paused(PauseKind.CHANNEL, channel.value):
        return True
    return bool(providers) and all(is_paused(PauseKind.PROVIDER, name) for name in providers)


def stopped_time(channel: Channel, providers: Collection[str], since: datetime, until: datetime) -> timedelta:
    """Return how long a channel was stopped between two moments. providers: the names of the channel's providers"""
    within = SendingPause.objects.filter(since__lt=until).exclude(ended_at__lte=since)
    return total_stopped(within, channel, providers, since, until)


def total_stopped(
    found: Iterable[SendingPause], channel: Channel, providers: Collection[str], since: datetime, until: datetime
) -> timedelta:
    """Add up the time in which the channel, or each of its providers, was paused.

    found: the pauses that overlap this time, in any order
    """
    spans = [
        (kind_and_name, max(pause.since, since), min(pause.ended_at or until, until))
        for pause in found
        if (kind_and_name := (pause.kind, pause.name)) == (PauseKind.CHANNEL, channel)
        or (pause.kind == PauseKind.PROVIDER and pause.name in providers)
    ]
    moments = sorted({moment for _, *ends in spans for moment in ends})
    total = timedelta(0)
    for start, end in pairwise(moments):
        paused = {which for which, began, ended in spans if began <= start and end <= ended}
        is_whole = (PauseKind.CHANNEL, channel) in paused
        if is_whole or (providers and all((PauseKind.PROVIDER, name) in paused for name in providers)):
            total += end - start
    return total


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
