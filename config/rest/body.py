"""Read the body of a request as bytes, up to a size limit, from the stream of the WSGI server.

Django takes the body of a chunked request as empty, because such a request has no length.
Source: docs/reference/security.md §3; docs/reference/data-sets.md §5.
docs/framework-internals.md lists the private attribute of the framework that this module uses.
"""

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from io import BytesIO
from threading import Lock
from typing import Any, Protocol, TypeVar

from django.http import HttpRequest

_ONE_LARGE = Lock()
_BLOCK_BYTES = 64 * 1024  # read and decompressed at once: a zip bomb is found at most one block after the limit


View = TypeVar("View", bound=Callable[..., Any])
Watch = Callable[[bytes, Callable[[], bytes]], None]  # a block, and a function that returns all bytes so far


class BodyReason(StrEnum):
    TOO_LARGE = "too large"
    LENGTH_REQUIRED = "length required"
    UNKNOWN_CODING = "unknown coding"
    BAD_GZIP = "bad gzip"
    CUT_SHORT = "cut short"


class UnreadableBody(Exception):
    """The body cannot be read. Each API maps `reason` to an error of its own."""

    def __init__(self, reason: BodyReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def read(
    environ: Mapping[str, Any],
    *,
    max_bytes: int,
    gzip: bool = False,
    chunked: bool = False,
    watch: Callable[[], Watch] | None = None,
) -> bytes:
    """Return the whole body, decompressed if gzip is allowed. It keeps at most the limit and one block in memory.

    environ:   `request.META`, which contains the stream of the server
    max_bytes: inclusive, for the body as sent and after decompression
    watch:     returns a function that is called with each block of a long body, and may raise an error of its own
    Raises UnreadableBody. A body with a Content-Length above the limit is not read. Call check_coding first: it has its
    own place in the order of checks of each API.
    """
    if environ.get("HTTP_TRANSFER_ENCODING") and not chunked:
        raise UnreadableBody(BodyReason.LENGTH_REQUIRED)
    is_gzip = gzip and _coding(environ) in {"gzip", "x-gzip"}
    if not is_gzip and not environ.get("HTTP_TRANSFER_ENCODING"):
        size = _content_length(environ)
        if size <= _BLOCK_BYTES:
            return b"".join(_exactly(environ["wsgi.input"], size, max_bytes))
    sent = blocks(environ, max_bytes=max_bytes)
    if is_gzip:
        sent = _counted(_open_gzip(sent), max_bytes)
    take = watch() if watch else None
    whole = BytesIO()  # to join a list of blocks would take twice the memory
    for block in sent:
        whole.write(block)
        if take is not None:
            take(block, whole.getvalue)
    return whole.getvalue()


def blocks(environ: Mapping[str, Any], *, max_bytes: int) -> Iterator[bytes]:
    """Return the body as sent, in blocks. Raises UnreadableBody while it is read."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        if not environ.get("wsgi.input_terminated"):  # without this flag a read would never end
            raise UnreadableBody(BodyReason.LENGTH_REQUIRED)
        return _counted(_until_end(environ["wsgi.input"]), max_bytes)
    return _counted(_exactly(environ["wsgi.input"], _content_length(environ), max_bytes), max_bytes)


def length(environ: Mapping[str, Any]) -> int | None:
    """Return the length of the body in bytes, or None if it is chunked. Raises UnreadableBody."""
    return None if environ.get("HTTP_TRANSFER_ENCODING") else _content_length(environ)


def reads_body(view: View) -> View:
    """Mark a view outside the two APIs that reads its body with `read`, so that no middleware reads it before."""
    vars(view)["reads_body"] = True
    return view


def put(request: HttpRequest, content: bytes) -> None:
    """Make Django use `content` as the body of a request. Its own reader takes a chunked body as empty."""
    request._body = content
    request.META["CONTENT_LENGTH"] = str(len(content))  # the form parser reads it


def one_at_a_time(size_bytes: int, *, large_bytes: int) -> AbstractContextManager[object]:
    """Return a context that only one large body of this process can enter at a time.

    A parsed body can take many times its size, and eight threads would need all of that at once.
    """
    return _ONE_LARGE if size_bytes > large_bytes else nullcontext()


def check_coding(environ: Mapping[str, Any], *, allowed: Collection[str] = ()) -> None:
    """Raise UnreadableBody with UNKNOWN_CODING unless Content-Encoding is absent, `identity` or one of `allowed`."""
    if environ.get("HTTP_CONTENT_ENCODING") and _coding(environ) not in {"", "identity", *allowed}:
        raise UnreadableBody(BodyReason.UNKNOWN_CODING)


def _coding(environ: Mapping[str, Any]) -> str:
    return str(environ.get("HTTP_CONTENT_ENCODING", "")).strip().lower()


def _content_length(environ: Mapping[str, Any]) -> int:
    digits = str(environ.get("CONTENT_LENGTH") or "0").strip()
    if not (digits.isascii() and digits.isdigit()):
        raise UnreadableBody(BodyReason.CUT_SHORT)
    return int(digits) if len(digits) < 20 else 10**20


def _exactly(stream: Stream, length: int, max_bytes: int) -> Iterator[bytes]:
    if length > max_bytes:
        raise UnreadableBody(BodyReason.TOO_LARGE)
    while length:
        block = _block(stream, min(_BLOCK_BYTES, length))
        if not block:  # the caller closed the connection
            raise UnreadableBody(BodyReason.CUT_SHORT)
        length -= len(block)
        yield block


def _until_end(stream: Stream) -> Iterator[bytes]:
    while block := _block(stream, _BLOCK_BYTES):
        yield block


def _block(stream: Stream, size: int) -> bytes:
    try:
        return stream.read(size)
    except OSError as error:  # a time-out, a broken connection, or a chunk that cannot be read
        raise UnreadableBody(BodyReason.CUT_SHORT) from error


def _counted(blocks: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    count = 0
    for block in blocks:
        count += len(block)
        if count > max_bytes:
            raise UnreadableBody(BodyReason.TOO_LARGE)
        yield block


def _open_gzip(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress all gzip members. Zero bytes between and after members are padding. An empty body is not gzip data."""
    member = None
    members = 0
    try:
        for block in blocks:
            pending = block
            while True:
                if member is None:
                    pending = pending.lstrip(b"\0") if members else pending
                    if not pending:
                        break
                    member, members = zlib.decompressobj(wbits=31), members + 1
                opened = member.decompress(pending, _BLOCK_BYTES)
                yield opened
                if member.eof:
                    pending, member = member.unused_data, None
                elif not (pending := member.unconsumed_tail) and len(opened) < _BLOCK_BYTES:
                    break
    except zlib.error as error:
        raise UnreadableBody(BodyReason.BAD_GZIP) from error
    if member is not None or not members:
        raise UnreadableBody(BodyReason.BAD_GZIP)
