"""gunicorn's thread worker, which leaves new callers to idler processes and refuses in our shape, and its logger.

All processes wait at one door, and callers keep their connections: whoever took most of a crowd would keep it, and be
slow for all of them while others idle. So a process with connections in hand waits a moment before it takes one more.
To a request it cannot read gunicorn finds the status and writes a page; we take the status alone.
Source: Security and reliability §3.
"""

import json
import re
import time
import traceback
from typing import Any

from gunicorn import glogging
from gunicorn.http import wsgi
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import ThreadWorker

from config import body_limits, envelopes, unread_body

_REQUEST_LINE = re.compile(rb"[A-Z]+ (/[^ ?\r\n]*)")
SECONDS_A_CONNECTION, MOST_SECONDS = 0.000_2, 0.002


# gunicorn takes up to 1 MiB from the socket at once and copies it several times. Eight bodies of 64 MiB that nobody
# reads left 250 MiB in the heaps of the threads.
SocketUnreader.max_body_chunk = 64 * 1024


# The header `Server` names no software; there is no setting for it.
wsgi.SERVER = "signalbox"  # type: ignore[attr-defined]  # imported there for itself


class Worker(ThreadWorker):
    def load_wsgi(self) -> None:
        super().load_wsgi()  # type: ignore[no-untyped-call]  # no types published
        self.wsgi = unread_body.reading_to_the_end(self.wsgi, body_limits.max_body_bytes)

    def accept(self, listener: Any) -> None:  # Any: no types published
        """Take one more connection, unless another process has by now."""
        time.sleep(min(self.nr_conns * SECONDS_A_CONNECTION, MOST_SECONDS))
        super().accept(listener)  # type: ignore[no-untyped-call]  # no types published

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer as the path asks, where that much could be read; Any: no types published."""
        page = _Page()
        super().handle_error(req, page, addr, exc)  # type: ignore[no-untyped-call]  # no types published
        if page.status is None:
            return
        path = getattr(req or getattr(exc, "req", None), "path", None) or _path_of(exc) or "/v2"
        text = json.dumps(envelopes.body(path, page.code, envelopes.NOT_UNDERSTOOD), separators=(",", ":"))
        link = envelopes.help_link(envelopes.slug(path, envelopes.NOT_UNDERSTOOD))
        head = (
            f"HTTP/1.1 {page.status}\r\nConnection: close\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\nCache-Control: no-store\r\nLink: {link}\r\n"
            "X-Content-Type-Options: nosniff\r\n\r\n"
        )
        client.sendall((head + text).encode("ascii"))


def _path_of(error: BaseException) -> str:
    """Return the path of a request line that was too long, as far as it was read.

    gunicorn makes no request of such a line and gives none with the error, so its frames are asked.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        line = frame.f_locals.get("data")
        if isinstance(line, bytes) and (found := _REQUEST_LINE.match(line)):
            return found[1].decode("latin-1")
    return ""


class Logger(glogging.Logger):
    def access(self, *args: Any) -> None:  # Any: no types published
        """Make no line: gunicorn makes one wherever logging is configured by a dictionary, `accesslog` or not."""


class _Page:
    """Stands for the socket while gunicorn writes its page, and keeps the status line."""

    status: str | None = None

    @property
    def code(self) -> int:
        return int((self.status or "500").partition(" ")[0])

    def sendall(self, data: bytes) -> None:
        self.status = data.decode("latin-1").partition("\r\n")[0].partition(" ")[2]

    def gettimeout(self) -> float:
        return 1.0

    def setblocking(self, flag: bool) -> None:
        """There is nothing to block."""
