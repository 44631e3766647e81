"""What a worker goes on with after the message it had a ticket for, while several services take turns.

A task for each message cost as much as sending it. So a worker that is at it takes what else waits, and the tickets of
those messages are then too many: one is torn up unread once a look, begun after its message had been served, has found
nobody waiting. Whatever comes after that look brings a ticket of its own, and one that was lent to a message served
before it has nobody left to go to. So there are never fewer tickets than messages that wait.
"""

import random
import time
from collections.abc import Callable
from uuid import UUID

from notifications.delivery.rota import LOOK_SECONDS
from notifications.models import Channel, waiting

KNOWN = 50  # messages of a service that are looked up at a time
NEWS_SECONDS = 0.1  # between two looks for the sake of tickets
_REMEMBERED = 20_000  # messages served by this process


class Ahead:
    """The messages of one channel that this process knows to wait, by service, and those it has served."""

    def __init__(self, channel: Channel, clock: Callable[[], float] = time.monotonic) -> None:
        self._channel, self._clock = channel, clock
        self._looked_at = float("-inf")
        self._waiting: dict[UUID, list[UUID]] = {}  # in the order in which services are served
        self._served: dict[UUID, float] = {}  # when

    def next(self) -> UUID | None:
        """Return the next one, which another worker may have taken meanwhile. None: not known before the next look."""
        now = self._clock()
        if now - self._looked_at >= LOOK_SECONDS:
            self._look(now)
        while self._waiting:
            service = next(iter(self._waiting))
            ids = self._waiting.pop(service) or self._oldest(service)
            if ids:
                self._waiting[service] = ids  # last
                return ids.pop()
        return None

    def note_served(self, notification_id: UUID) -> None:
        if len(self._served) >= _REMEMBERED:
            self._served.clear()
        self._served[notification_id] = self._clock()

    def needs_no_ticket(self, notification_id: UUID) -> bool:
        """Say whether this message has been served, and a look since then has found nobody waiting."""
        served_at = self._served.get(notification_id)
        if served_at is None:
            return False
        now = self._clock()
        if not self._waiting and now - self._looked_at >= NEWS_SECONDS:
            self._look(now)
        return not self._waiting and served_at < self._looked_at

    def _look(self, now: float) -> None:
        self._looked_at = now
        there = waiting.services(self._channel)
        known = [service for service in self._waiting if service in there]
        self._waiting = {service: [] for service in (*there.difference(known), *known)}

    def _oldest(self, service: UUID) -> list[UUID]:
        """Return those that have waited longest, in no order: or all workers would be after the same one."""
        ids = waiting.oldest(service, self._channel, KNOWN)
        random.shuffle(ids)
        return ids
