"""An end to a whole conversation: time-outs of single reads never end against a peer that drips.

One thread a process watches them all, since starting a thread for each message cost more than the database did
(0.4 ms of 6 ms, 2026-11-21).
Source: Security and reliability §12.
"""

import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Protocol, Self

_LOOK_EVERY_SECONDS = 0.1


class _Conversation(Protocol):
    sock: socket.socket | None


class Deadline:
    """Shuts the socket of what it watches when the seconds are over, which ends any read or write on it.

    Not only once: a socket that is just being opened or wrapped in TLS cannot be shut yet.
    """

    def __init__(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds
        self._watched: _Conversation | None = None

    @property
    def has_passed(self) -> bool:
        return time.monotonic() >= self._ends_at

    def watch(self, conversation: _Conversation) -> None:
        self._watched = conversation

    def __enter__(self) -> Self:
        _watch.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _watch.discard(self)

    def enforce(self) -> None:
        if self.has_passed and self._watched is not None and self._watched.sock is not None:
            with contextlib.suppress(OSError):
                # Not SSLSocket's own: that one forgets its TLS state beneath the thread that is reading.
                socket.socket.shutdown(self._watched.sock, socket.SHUT_RDWR)


class _Watch:
    """The running deadlines of this process, and the thread that looks at them while there are any."""

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


_watch = _Watch()
