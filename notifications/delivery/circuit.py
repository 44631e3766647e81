"""Leave a provider alone that fails again and again. One circuit a provider and process.

Source: the sending contract §19.2.
"""

import time
from collections.abc import Callable

FAILURES = 5  # temporary ones in a row
PAUSE_SECONDS = 60.0


class Circuit:
    """Open, it keeps messages from a provider; after a minute it lets one through as a probe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._open_until = 0.0

    def allows(self) -> bool:
        return self._clock() >= self._open_until

    def note_answer(self) -> None:
        """The provider took a message, or refused one for good: it is there."""
        self._failures = 0

    def note_failure(self) -> bool:
        """Count a temporary failure. Returns whether this one opened the circuit; a failed probe does so by itself."""
        self._failures += 1
        opens = self._failures >= FAILURES
        if opens:
            self._open_until = self._clock() + PAUSE_SECONDS
        return opens
