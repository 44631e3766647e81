"""Keep a connection usable after an answer that is sent before the body is read, such as 401, 404, 413 or 429.

gunicorn sends `Connection: keep-alive`, then drops at most 64 KiB of the body and closes the connection if more was
left. The next request of the client is then lost. This module reads and drops the rest of the body before the answer.
If the body is too large or stalls, the answer has `Connection: close`. For some seconds the server then drops what
arrives, so that the client can finish sending and read the answer. Source: RFC 9112 §9.3, §9.6.
While the server drains, each answer has it, so that a proxy does not send another request.
docs/framework-internals.md lists the private attribute of the framework that this module uses.
"""

import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from gunicorn.http.errors import ParseException

from config.web import draining

Environ = dict[str, Any]  # Any: PEP 3333 fixes no types
Application = Callable[[Environ, Any], Iterable[bytes]]

STALL_SECONDS = 10  # without a byte, while the application reads the body
REST_STALL_SECONDS = 2  # without a byte, while the rest of the body is dropped
REST_SECONDS = 30
CLOSE_SECONDS = 5
_BLOCK_BYTES = 64 * 1024


def reading_to_the_end(application: Application, max_body_bytes: Callable[[str], int]) -> Application:
    """Wrap a WSGI application for gunicorn. max_body_bytes: path → how many bytes are read and dropped."""

    def answer(environ: Environ, start_response: Any) -> Iterable[bytes]:  # Any: a method of gunicorn's Response
        if draining.has_begun():
            start_response.__self__.force_close()
        if not _has_body(environ):
            return application(environ, start_response)
        connection: socket.socket = environ["gunicorn.socket"]
        stream = environ["wsgi.input"] = _Stream(environ["wsgi.input"])
        connection.settimeout(STALL_SECONDS)
        try:
            blocks = application(environ, start_response)
            is_read = _read_rest(environ, stream, max_body_bytes(environ["PATH_INFO"]))
        finally:
            connection.settimeout(None)
        if is_read:
            return blocks
        start_response.__self__.force_close()
        return _ClosedGently(blocks, connection)

    return answer


class _Stream:
    """gunicorn's stream of a body. After a failure every read raises OSError, as Django expects.

    gunicorn itself reports the end of the body after a chunk that it cannot read.
    """

    def __init__(self, stream: Any) -> None:  # Any: no types published
        self._stream = stream
        self._failure = ""

    def read(self, *size: int) -> bytes:
        return self._call(self._stream.read, *size)

    def readline(self, *size: int) -> bytes:
        return self._call(self._stream.readline, *size)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _call(self, method: Callable[..., bytes], *size: int) -> bytes:
        if self._failure:
            raise OSError(self._failure)
        try:
            return method(*size)
        except (OSError, ParseException) as error:  # a timeout, a closed connection, or a chunk that cannot be read
            self._failure = type(error).__name__
            raise OSError(self._failure) from error


class _ClosedGently:
    """The blocks of an answer. After them, the client may finish sending before the connection is closed."""

    def __init__(self, blocks: Iterable[bytes], connection: socket.socket) -> None:
        self._blocks = blocks
        self._connection = connection

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def close(self) -> None:
        try:
            if close := getattr(self._blocks, "close", None):
                close()
        finally:
            _drop_input(self._connection)


def _has_body(environ: Environ) -> bool:
    return environ.get("CONTENT_LENGTH", "0") not in {"", "0"} or "HTTP_TRANSFER_ENCODING" in environ


def _read_rest(environ: Environ, stream: _Stream, max_bytes: int) -> bool:
    """Drop the rest of the body. Return False if it is too large, takes too long or cannot be read."""
    length = environ.get("CONTENT_LENGTH", "0")
    if len(length) > 19 or int(length) > max_bytes:
        return False
    environ["gunicorn.socket"].settimeout(REST_STALL_SECONDS)
    ends_at = time.monotonic() + REST_SECONDS
    with suppress(OSError):
        dropped = 0
        while block := stream.read(_BLOCK_BYTES):
            dropped += len(block)
            if dropped > max_bytes or time.monotonic() > ends_at:
                return False
        return True
    return False


def _drop_input(connection: socket.socket) -> None:
    """Close the sending side, and wait up to CLOSE_SECONDS until the client closes its side."""
    ends_at = time.monotonic() + CLOSE_SECONDS
    with suppress(OSError, ValueError):
        connection.shutdown(socket.SHUT_WR)
        while (left := ends_at - time.monotonic()) > 0:
            connection.settimeout(min(left, REST_STALL_SECONDS))
            if not connection.recv(_BLOCK_BYTES):
                return
