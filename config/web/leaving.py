"""Whether the client of a request has closed its connection, so that nobody needs the answer any more.

A proxy such as nginx closes its connection when its own client does.
"""

import socket
import ssl
from contextvars import ContextVar

# gunicorn's socket of the present request; None in a view that does not set it.
connection: ContextVar[socket.socket | None] = ContextVar("connection", default=None)


class Client:
    """The client at the other end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def has_left(self) -> bool:
        try:
            return self._connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:  # it waits for the answer
            return False
        except OSError:
            return True


def client() -> Client | None:
    """Return the client of the present request, or None if it cannot be watched, as with TLS."""
    found = connection.get()
    return None if found is None or isinstance(found, ssl.SSLSocket) else Client(found)
