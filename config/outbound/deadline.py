"""Limit the time of a whole call. Time-outs of single reads do not, as long as the peer sends a byte now and then.

One thread of a process enforces all deadlines, because starting a thread for each message took 0.4 of 6 ms
(2026-11-21). Source: docs/reference/security.md §12.
"""

import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Protocol, Self

_LOOK_EVERY_SECONDS = 0.1


class Conversation(Protocol):
    """A client object whose socket is `sock` after it has connected."""

    sock: socket.socket | None


class Deadline:
    """The moment by which a whole call must end.

    Call `limit` before each blocking call, or use the deadline as a context manager. It then shuts down the watched
    socket when the time is over, which ends any read or write on it, also in another thread.
    """

    def __init__(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds
        self._watched: Conversation | socket.socket | None = None

    @property
    def has_passed(self) -> bool:
        return time.monotonic() >= self._ends_at

    def seconds_left(self) -> float:
        """Return the remaining seconds, more than 0. Raises TimeoutError, an OSError, if no time is left."""
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def limit(self, sock: socket.socket) -> None:
        """Limit the next blocking call on `sock` to the remaining seconds. Raises TimeoutError."""
        sock.settimeout(self.seconds_left())

    def watch(self, watched: Conversation | socket.socket) -> None:
        """Watch this client or socket instead of the previous one.

        If a client drops its `sock` before the body is read, as `http.client` does, watch the socket itself.
        """
        self._watched = watched

    def __enter__(self) -> Self:
        _watchdog.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _watchdog.discard(self)

    def enforce(self) -> None:
        """Shut down the watched socket if the time is over. It runs repeatedly, as an opening socket cannot be shut."""
        if not self.has_passed or self._watched is None:
            return
        sock = self._watched if isinstance(self._watched, socket.socket) else self._watched.sock
        if sock is not None:
            with contextlib.suppress(OSError):
                # Not the method of SSLSocket, which drops the TLS state while another thread reads.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


class _Watchdog:
    """The running deadlines of this process, and the thread that enforces them."""

    def __init__(self) -> None:
        self._running: set[Deadline] = set()
        self._some = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, deadline: Deadline) -> None:
        self._running.add(deadline)
        self._some.set()
        if self._thread is None or not self._thread.is_alive():  # not started, or left behind by a fork
            self._thread = threading.Thread(target=self._look, name="deadlines", daemon=True)
            self._thread.start()

    def discard(self, deadline: Deadline) -> None:
        self._running.discard(deadline)

    def _look(self) -> None:
        while self._some.wait():
            time.sleep(_LOOK_EVERY_SECONDS)
            for deadline in self._running.copy():
                deadline.enforce()


_watchdog = _Watchdog()
