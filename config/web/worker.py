"""gunicorn's thread worker and logger, changed in three ways.

All processes accept from one socket, and clients keep their connections. A process that accepted most of a burst would
stay slow while others idle. So a process with open connections waits a moment before it accepts another one.
A request that gunicorn cannot parse gets a JSON error instead of an HTML page. The access log is off.
Source: docs/reference/security.md §3.
docs/framework-internals.md lists the private attributes of the framework that this module uses.
"""

import json
import time
from http import HTTPStatus
from typing import Any

from gunicorn import glogging
from gunicorn.http import wsgi
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import ThreadWorker

from config.rest import handler
from config.web import body_limits, unread_body

SECONDS_A_CONNECTION, MOST_SECONDS = 0.000_2, 0.002


# gunicorn reads up to 1 MiB at once and copies it several times. Eight unread bodies of 64 MiB left 250 MiB in the
# heaps of the threads.
SocketUnreader.max_body_chunk = 64 * 1024


# The header `Server` must not name the software, and gunicorn has no setting for it.
wsgi.SERVER = "signalbox"  # type: ignore[attr-defined]  # imported there for itself


class Worker(ThreadWorker):
    def load_wsgi(self) -> None:
        super().load_wsgi()  # type: ignore[no-untyped-call]  # no types published
        self.wsgi = unread_body.reading_to_the_end(self.wsgi, body_limits.max_body_bytes)

    def accept(self, listener: Any) -> None:  # Any: no types published
        """Wait for longer the more connections are open, then accept one if no other process has."""
        time.sleep(min(self.nr_conns * SECONDS_A_CONNECTION, MOST_SECONDS))
        super().accept(listener)  # type: ignore[no-untyped-call]  # no types published

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Respond with an error in the format of the path, if the path could be read. Any: no types published."""
        page = _Page()
        super().handle_error(req, page, addr, exc)  # type: ignore[no-untyped-call]  # no types published
        if page.status is None:
            return
        path = getattr(req or getattr(exc, "req", None), "path", None) or "/v2"
        is_ours = page.code == HTTPStatus.INTERNAL_SERVER_ERROR  # gunicorn answers every error of the application so
        error = (handler.FAILED if is_ours else handler.NOT_UNDERSTOOD).at(path)
        error.status = page.code
        text = json.dumps(error.body(), **handler.COMPACT)
        link = handler.help_link(error)
        head = (
            f"HTTP/1.1 {page.status}\r\nConnection: close\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\nCache-Control: no-store\r\nLink: {link}\r\n"
            "X-Content-Type-Options: nosniff\r\n\r\n"
        )
        client.sendall((head + text).encode("ascii"))


class Logger(glogging.Logger):
    def access(self, *args: Any) -> None:  # Any: no types published
        """Log nothing. With `logconfig_dict`, gunicorn logs requests even if `accesslog` is not set."""


class _Page:
    """Replaces the socket while gunicorn writes its HTML page, and keeps the status line only."""

    status: str | None = None

    @property
    def code(self) -> int:
        return int((self.status or "500").partition(" ")[0])

    def sendall(self, data: bytes) -> None:
        self.status = data.decode("latin-1").partition("\r\n")[0].partition(" ")[2]

    def gettimeout(self) -> float:
        return 1.0

    def setblocking(self, flag: bool) -> None:
        """Do nothing, as there is no socket."""
