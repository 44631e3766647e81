"""gunicorn's thread worker, which answers a request it cannot read in our shape instead of a page.

gunicorn finds the status and writes a page around what it has read; we take the status alone.
Source: Security and reliability §3.
"""

import json
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from config import envelopes

_MESSAGE = "The request could not be understood"


class Worker(ThreadWorker):
    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer as the path asks, where that much could be read; Any: no types published."""
        page = _Page()
        super().handle_error(req, page, addr, exc)  # type: ignore[no-untyped-call]  # no types published
        if page.status is None:
            return
        path = getattr(req or getattr(exc, "req", None), "path", None) or "/v2"
        body = envelopes.body(path, page.code, kind="BadRequestError", message=_MESSAGE, data_message=f"{_MESSAGE}.")
        text = json.dumps(body)
        head = (
            f"HTTP/1.1 {page.status}\r\nConnection: close\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n"
        )
        client.sendall((head + text).encode("ascii"))


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
