"""Keep a connection usable when a request is answered before its body was read, as 401, 404, 413 and 429 are.

gunicorn sends `Connection: keep-alive`, then drops at most 64 KiB of the body and closes the connection if more was
left: the next request of the client is lost. Here the rest of the body is read and dropped before the answer begins.
Where the body is too large or stalls, the answer says `Connection: close`, and what still arrives is dropped for a
moment, so that the client can finish sending and read the answer. Source: RFC 9112 §9.3, §9.6.
"""

import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from gunicorn.http.errors import ParseException

Environ = dict[str, Any]  # Any: as PEP 3333 has it
Application = Callable[[Environ, Any], Iterable[bytes]]

STALL_SECONDS = 10  # without a byte, while an application reads the body
REST_STALL_SECONDS = 2  # without a byte, while nobody wants the body any more
REST_SECONDS = 30
CLOSE_SECONDS = 5
_STEP_BYTES = 64 * 1024


def reading_to_the_end(application: Application, max_body_bytes: Callable[[str], int]) -> Application:
    """Wrap a WSGI application for gunicorn. max_body_bytes: path → the most that is read and dropped."""

    def answer(environ: Environ, start_response: Any) -> Iterable[bytes]:  # Any: a method of gunicorn's Response
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
    """gunicorn's stream of a body. Every failure is an OSError, as Django expects it, and stays one on the next read.

    gunicorn returns the end of the body after a chunk that it could not read.
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
    """The blocks of an answer; at their end the other side may finish sending before the connection is closed."""

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
            _drop_what_comes(self._connection)


def _has_body(environ: Environ) -> bool:
    return environ.get("CONTENT_LENGTH", "0") not in {"", "0"} or "HTTP_TRANSFER_ENCODING" in environ


def _read_rest(environ: Environ, stream: _Stream, max_bytes: int) -> bool:
    """Drop the rest of the body; False if that would be too much, takes too long or cannot be done."""
    length = environ.get("CONTENT_LENGTH", "0")
    if len(length) > 19 or int(length) > max_bytes:
        return False
    environ["gunicorn.socket"].settimeout(REST_STALL_SECONDS)
    ends_at = time.monotonic() + REST_SECONDS
    with suppress(OSError):
        dropped = 0
        while block := stream.read(_STEP_BYTES):
            dropped += len(block)
            if dropped > max_bytes or time.monotonic() > ends_at:
                return False
        return True
    return False


def _drop_what_comes(connection: socket.socket) -> None:
    """Say that nothing more will be sent, and wait until the other side closes, some seconds at most."""
    ends_at = time.monotonic() + CLOSE_SECONDS
    with suppress(OSError, ValueError):
        connection.shutdown(socket.SHUT_WR)
        while (left := ends_at - time.monotonic()) > 0:
            connection.settimeout(min(left, REST_STALL_SECONDS))
            if not connection.recv(_STEP_BYTES):
                return
