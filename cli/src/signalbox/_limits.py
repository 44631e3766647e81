"""End the calls of servers that answer slowly or without end. The timeouts of httpx are for each read."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx

from signalbox.errors import SignalboxError

MOST_BYTES = 64 * 1024 * 1024  # of an answer that is kept in memory
LEAST_BYTES = 1000  # of a download, in each time of the timeout
TIMES_THE_TIMEOUT = 2  # the most time of a call, because its parts may be slow
_NOT_OF_THE_BODY = {b"content-encoding", b"content-length", b"transfer-encoding"}
_CONNECTED = {"connection.connect_tcp.complete", "connection.start_tls.complete"}


class Watch:
    """Shuts the newest connection of a thread down when the time of a call is over. `trace` is for httpcore."""

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def trace(self, event: str, info: dict[str, Any]) -> None:
        if event in _CONNECTED:
            self._kept()["stream"] = info["return_value"]

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Raise httpx.ReadTimeout if the block takes longer."""
        kept = self._kept()
        is_over = threading.Event()
        timer = threading.Timer(seconds, _shut_down, (kept, is_over))
        timer.daemon = True
        timer.start()
        try:
            yield
        except httpx.RequestError as error:
            if is_over.is_set():
                raise httpx.ReadTimeout("The answer is too slow") from error
            raise
        finally:
            timer.cancel()
        if is_over.is_set():  # the end of the connection looks like the end of a body without a length
            raise httpx.ReadTimeout("The answer is too slow")

    def _kept(self) -> dict[str, Any]:
        kept: dict[str, Any] = self._of_thread.__dict__.setdefault("kept", {})
        return kept


def _shut_down(kept: dict[str, Any], is_over: threading.Event) -> None:
    is_over.set()
    with suppress(OSError, KeyError, AttributeError):  # nothing is connected yet, or not any longer
        kept["stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class Body:
    """The bytes of an answer, up to MOST_BYTES."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._whole = bytearray()

    def add(self, block: bytes) -> None:
        """Raises SignalboxError if the answer is too large."""
        self._whole += block
        if len(self._whole) > MOST_BYTES:
            size = f"{MOST_BYTES // 1024 // 1024} MiB"
            raise SignalboxError(f"The answer of {self._url} has more than {size}", fix="Ask for less at a time.")

    def of(self, response: httpx.Response) -> httpx.Response:
        """Return the answer with this body, decompressed."""
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in _NOT_OF_THE_BODY]
        phrase = {"reason_phrase": response.reason_phrase.encode("ascii", "ignore")}
        content = bytes(self._whole)
        return httpx.Response(
            response.status_code, headers=headers, content=content, request=response.request, extensions=phrase
        )


def paced(blocks: Iterator[bytes], seconds: float) -> Iterator[bytes]:
    """Yield the blocks. Raises httpx.ReadTimeout if fewer than LEAST_BYTES arrive in `seconds` of waiting."""
    waited, size = 0.0, 0
    while True:
        started = time.monotonic()
        block = next(blocks, None)
        waited += time.monotonic() - started
        if block is None:
            return
        size += len(block)
        if waited > seconds:
            if size < LEAST_BYTES:
                raise httpx.ReadTimeout("The download is too slow")
            waited, size = 0.0, 0
        yield block
