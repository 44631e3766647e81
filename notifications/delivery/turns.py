"""Whose message goes next: while several services wait for a channel, they take turns."""

from functools import partial
from uuid import UUID

from notifications.delivery.ahead import Ahead
from notifications.delivery.rota import Rota
from notifications.models import Channel, Claim, waiting

WORKERS_AT_IT = 5  # may have just taken the oldest


def take(hinted: UUID, channel: Channel) -> Claim | None:
    """Take the message whose turn it is: the hinted one, unless other services wait. None: nothing is waiting."""
    return None if _ahead[channel].needs_no_ticket(hinted) else _rotas[channel].take(hinted)


def following(channel: Channel) -> UUID | None:
    """Return the message to go on with after another. None: none is known, and the next hint will tell."""
    return _ahead[channel].next()


def note_served(channel: Channel, notification_id: UUID) -> None:
    """Say that a message needs no hint any more."""
    _ahead[channel].note_served(notification_id)


def note_busy(channel: Channel) -> None:
    """Say that a message has just been dealt with."""
    _rotas[channel].note_busy()


def forget() -> None:
    """Look again before the next message."""
    for rota in _rotas.values():
        rota.forget()
    for channel in Channel:
        _ahead[channel] = Ahead(channel)


_rotas = {
    channel: Rota(
        who=partial(waiting.services, channel),
        oldest=partial(waiting.oldest, channel=channel, limit=WORKERS_AT_IT),
        take=Claim.take,
    )
    for channel in Channel
}
_ahead = {channel: Ahead(channel) for channel in Channel}
