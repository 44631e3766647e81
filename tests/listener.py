"""Base of servers on real sockets for tests, with a thread for each connection."""

import contextlib
import socket
import threading
from abc import ABC, abstractmethod
from typing import Self


class Listener(ABC):
    """Listens on `port` until `stop`, which sets `closing`. `connections`: their number."""

    def __init__(self) -> None:
        self.connections = 0
        self.closing = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    @abstractmethod
    def converse(self, peer: socket.socket) -> None:
        """Handle a connection, which is closed afterwards. A lost connection is not an error."""

    def stop(self) -> None:
        self.closing.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # otherwise the thread in accept() would keep it open
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.stop()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self._socket.accept()
                self.connections += 1
                threading.Thread(target=self._attend, args=[peer], daemon=True).start()

    def _attend(self, peer: socket.socket) -> None:
        with peer, contextlib.suppress(OSError):
            self.converse(peer)
