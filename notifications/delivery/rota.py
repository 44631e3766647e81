"""Who is served next where several wait, in one process: whoever was served longest ago.

A hint is a ticket for any one thing of its queue, and not for the one it names: so 10,000 hints of one that stand
before the one of another hold it up by no more than what is in hand. There are never fewer tickets than things, so
whoever lends a turn gets one back. Source: Security and reliability §9, promise 6.
"""

import time
from collections.abc import Callable
from typing import Generic, TypeVar
from uuid import UUID

LOOK_SECONDS = 1.0  # between two looks at who waits; also: who has had nothing to do for so long has no backlog

Held = TypeVar("Held")


class Rota(Generic[Held]):
    """who: whose things wait; oldest: some of one's that have waited longest; take: take hold of one, if it is free."""

    def __init__(
        self,
        *,
        who: Callable[[], set[UUID]],
        oldest: Callable[[UUID], list[UUID]],
        take: Callable[[UUID], Held | None],
    ) -> None:
        self._who, self._oldest, self._take = who, oldest, take
        self._served_at: dict[UUID, float] = {}
        self.forget()

    def forget(self) -> None:
        """Look again before the next one."""
        self._busy_at = self._looked_at = float("-inf")
        self._waiting: list[UUID] = []

    def note_busy(self) -> None:
        """Say that one has just been dealt with."""
        self._busy_at = time.monotonic()

    def take(self, hinted: UUID) -> Held | None:
        """Take what is next: the hinted one, unless others wait. None: nothing is waiting.

        No ticket is torn up while something waits, or that would lie there until the next sweep: where a look of a
        moment ago leads nowhere, the hinted one is tried, and then whoever waits by a new look.
        """
        now = time.monotonic()
        if now - self._busy_at < LOOK_SECONDS:
            if now - self._looked_at >= LOOK_SECONDS:
                self._look(now)
            held = self._take_any(now) if len(self._waiting) > 1 else None
            held = held or self._take(hinted)
        else:
            held = self._take(hinted)
        if held is None:  # by another ticket, or by a sweep's
            self._look(now)
            held = self._take_any(now)
        return held

    def _look(self, now: float) -> None:
        self._looked_at = now
        self._waiting = sorted(self._who(), key=lambda one: self._served_at.get(one, float("-inf")))

    def _take_any(self, now: float) -> Held | None:
        for _ in range(len(self._waiting)):
            one = self._waiting.pop(0)
            for identifier in self._oldest(one):
                held = self._take(identifier)
                if held is not None:
                    self._served_at[one] = now
                    self._waiting.append(one)
                    return held
            # Nothing is left of it, or others are at it: the next look will tell.
        return None
