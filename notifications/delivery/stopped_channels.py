"""Which channels are stopped: a channel that is paused, or whose providers are all paused.

A stopped channel claims no messages. The time in which it was stopped does not count towards the give-up time of its
messages, so none of them expires because of a pause.
Source: docs/reference/security.md §11.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from itertools import pairwise

from notifications.delivery import pauses, providers
from notifications.delivery.messages import OutgoingEmail, OutgoingSms
from notifications.models import Channel, PauseKind, SendingPause

_KINDS = {Channel.SMS: OutgoingSms, Channel.EMAIL: OutgoingEmail}


def providers_of(channel: Channel) -> list[str]:
    """Return the names of the configured providers for a channel, in the order in which they are tried."""
    return [provider.name for provider in providers.configured() if _KINDS[channel] in provider.adapter.carries]


def is_stopped(channel: Channel) -> bool:
    """Return whether nothing may be handed over. Without a pause this costs no query more than every 2 s."""
    if not pauses.is_any():
        return False
    if pauses.is_paused(PauseKind.CHANNEL, channel.value):
        return True
    names = providers_of(channel)
    return bool(names) and all(pauses.is_paused(PauseKind.PROVIDER, name) for name in names)


def stopped_time(channel: Channel, since: datetime, until: datetime) -> timedelta:
    """Return how long a channel was stopped between two moments."""
    within = SendingPause.objects.filter(since__lt=until).exclude(ended_at__lte=since)
    return total_stopped(list(within), channel, providers_of(channel), since, until)


def total_stopped(
    found: Iterable[SendingPause], channel: Channel, names: Collection[str], since: datetime, until: datetime
) -> timedelta:
    """Add up the time in which the channel, or each of its providers, was paused.

    found: the pauses that overlap this time, in any order; names: the providers of the channel
    """
    spans = [
        (kind_and_name, max(pause.since, since), min(pause.ended_at or until, until))
        for pause in found
        if (kind_and_name := (pause.kind, pause.name)) == (PauseKind.CHANNEL, channel)
        or (pause.kind == PauseKind.PROVIDER and pause.name in names)
    ]
    moments = sorted({moment for _, *ends in spans for moment in ends})
    total = timedelta(0)
    for start, end in pairwise(moments):
        paused = {which for which, began, ended in spans if began <= start and end <= ended}
        is_whole = (PauseKind.CHANNEL, channel) in paused
        if is_whole or (names and all((PauseKind.PROVIDER, name) in paused for name in names)):
            total += end - start
    return total
