"""An end to a whole conversation: time-outs of single reads never end against a peer that drips.

Source: Security and reliability §12.
"""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Protocol, Self

_AGAIN_SECONDS = 0.2  # a socket that is just being opened or wrapped in TLS cannot be shut yet


class _Conversation(Protocol):
    sock: socket.socket | None


class Deadline:
    """Shuts the socket of what it watches when the seconds are over, which ends any read or write on it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._over = threading.Event()
        self._watched: _Conversation | None = None
        self.has_passed = False

    def watch(self, conversation: _Conversation) -> None:
        self._watched = conversation

    def __enter__(self) -> Self:
        threading.Thread(target=self._wait, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()

    def _wait(self) -> None:
        seconds = self._seconds
        while not self._over.wait(seconds):
            self.has_passed = True
            seconds = _AGAIN_SECONDS
            if self._watched is not None and self._watched.sock is not None:
                with contextlib.suppress(OSError):
                    # Not SSLSocket's own: that one forgets its TLS state beneath the thread that is reading.
                    socket.socket.shutdown(self._watched.sock, socket.SHUT_RDWR)
