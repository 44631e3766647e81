"""A circuit breaker stops calls to a dependency that fails, so that callers do not wait for it one after another."""

import threading
import time
from collections.abc import Callable


class CircuitBreaker:
    """Closed, it allows every call. Open, it allows none. Half-open, it waits for one success or failure.

    failures: the number of failures in a row that open it
    open_seconds: how long it stays open before it is half-open
    probe_seconds: half-open, it allows one call in this time; 0 allows every call until one fails
    is_enforced: if False, it counts failures and allows every call
    """

    def __init__(
        self,
        *,
        failures: int,
        open_seconds: float,
        probe_seconds: float = 0.0,
        is_enforced: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.is_enforced = is_enforced
        self._most_failures, self._open_seconds, self._probe_seconds = failures, open_seconds, probe_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._succeeded_at = float("-inf")
        self._open_until: float | None = None  # None: closed

    def allows(self) -> bool:
        """Return whether the caller may call now. A half-open breaker takes the caller as its probe."""
        if self._open_until is None or not self.is_enforced:
            return True
        with self._lock:
            if self._open_until is None:
                return True
            now = self._clock()
            if now < self._open_until:
                return False
            self._open_until = now + self._probe_seconds
            return True

    def seconds_until_half_open(self) -> float | None:
        """Return how long it stays open, 0 or less if it is half-open, or None if it is closed."""
        open_until = self._open_until
        return None if open_until is None else open_until - self._clock()

    def note_success(self) -> None:
        """Close the breaker. It must be cheap while closed, because it runs after each database statement."""
        self._succeeded_at = self._clock()
        if self._failures:
            with self._lock:
                self._failures = 0
                self._open_until = None

    def note_failure(self, since: float | None = None) -> bool:
        """Count a failed call; return whether the breaker is open now. A failed probe opens it again.

        since: when the call began, by the clock. If another call has succeeded since then, the failure is not counted:
            one connection was slow or broken, but the dependency works.
        """
        with self._lock:
            if since is not None and self._succeeded_at >= since:
                return False
            self._failures += 1
            if self._failures < self._most_failures:
                return False
            self._open_until = self._clock() + self._open_seconds
            return True
