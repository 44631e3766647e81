"""Whose callback goes next: while several endpoints wait, they take turns.

Those that fail are served one at a time all together, so that the ones that never answer leave a worker to the others.
"""

from uuid import UUID

from notifications.delivery.rota import Rota
from notifications.models import CallbackDelivery

WORKERS_AT_IT = 2  # may have just taken the oldest


def take(hinted: UUID) -> CallbackDelivery | None:
    """Take the callback whose turn it is: the hinted one, unless other endpoints wait. None: nothing can go now."""
    return _rota.take(hinted)


def note_busy() -> None:
    """Say that a callback has just been dealt with."""
    _rota.note_busy()


def forget() -> None:
    """Look again before the next callback."""
    _rota.forget()


def _who() -> set[UUID]:
    return CallbackDelivery.objects.endpoints_waiting()


def _oldest(endpoint_id: UUID) -> list[UUID]:
    return CallbackDelivery.objects.oldest_of(endpoint_id, WORKERS_AT_IT)


def _take(delivery_id: UUID) -> CallbackDelivery | None:
    return CallbackDelivery.objects.take(delivery_id)


_rota = Rota(who=_who, oldest=_oldest, take=_take)
