"""Whether PostgreSQL is answering at all, as this process has it.

While it is away a request would wait for a connection as long as it may, on a thread that others need: so in a web
process, once two have waited in vain and nobody has had an answer, requests are refused at once, and one a moment asks
whether it is back. A worker has no callers that wait behind one another: it asks each time.
Source: Security and reliability §13.
"""

import threading
import time
from collections.abc import Callable

PAUSE_SECONDS = 1.0  # it is to be noticed within 5 s that it is back
ASKING_SECONDS = 4.0  # longer than one who asks waits for a connection
ENOUGH = 2  # one alone may have come to a busy machine with the first connection of its process


class Silence:
    """Begins when ENOUGH waited in vain and nobody else had an answer meanwhile; ends with the next answer.

    is_heeded: whether anybody is to be refused for it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, is_heeded: bool = False) -> None:
        self.is_heeded = is_heeded
        self._clock = clock
        self._lock = threading.Lock()
        self._answered_at = float("-inf")
        self._in_vain = 0
        self._until: float | None = None

    def note_answer(self) -> None:
        self._answered_at = self._clock()
        self._in_vain = 0
        self._until = None

    def note_vain(self, since: float) -> None:
        """Somebody has waited since then. Where others were answered it was crowded, or one connection broke."""
        if self._answered_at < since:
            self._in_vain += 1
            if self._in_vain >= ENOUGH:
                self._until = self._clock() + PAUSE_SECONDS

    def lets_ask(self) -> bool:
        """Say whether this one may ask; in a silence only one may at a time."""
        with self._lock:
            if self._until is None or not self.is_heeded:
                return True
            if self._clock() < self._until:
                return False
            self._until = self._clock() + ASKING_SECONDS
            return True
