"""Read the body of a request as bytes, within a cap, from the server's own stream.

Django sees no length in a chunked request and would call its body empty, so the stream of the WSGI server is read here.
Source: Security and reliability §3; Data Set contract §5.
"""

import zlib
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Any, Protocol

_STEP = 64 * 1024  # what is read, and opened, at once: a bomb is noticed one step behind the cap


class Reason(StrEnum):
    TOO_LARGE = "too large"
    LENGTH_REQUIRED = "length required"
    UNKNOWN_CODING = "unknown coding"
    BAD_GZIP = "bad gzip"
    CUT_SHORT = "cut short"


class BodyRefused(Exception):
    """The bytes cannot be had; `reason` says why, each area has its own words and status for it."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def read(environ: Mapping[str, Any], *, max_bytes: int, gzip: bool = False, chunked: bool = False) -> bytes:
    """Return the whole body, opened where gzip is allowed; never hold more than the cap and one step.

    environ:   `request.META`, which holds the server's stream
    max_bytes: inclusive, for the body as sent and as opened
    Raises BodyRefused. A Content-Length above the cap is refused unread. Call check_coding first: it has its own place
    in an area's order of checks.
    """
    if environ.get("HTTP_TRANSFER_ENCODING") and not chunked:
        raise BodyRefused(Reason.LENGTH_REQUIRED)
    sent = blocks(environ, max_bytes=max_bytes)
    if gzip and is_gzip(environ):
        return b"".join(_counted(_open_gzip(sent), max_bytes))
    return b"".join(sent)


def blocks(environ: Mapping[str, Any], *, max_bytes: int) -> Iterator[bytes]:
    """Return the body as sent, in blocks. Raises BodyRefused while it is read."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        if not environ.get("wsgi.input_terminated"):  # without that mark a read would never end
            raise BodyRefused(Reason.LENGTH_REQUIRED)
        return _counted(_until_end(environ["wsgi.input"]), max_bytes)
    return _counted(_exactly(environ["wsgi.input"], _content_length(environ), max_bytes), max_bytes)


def length(environ: Mapping[str, Any]) -> int | None:
    """Return the length of the body in bytes; None if it comes in chunks. Raises BodyRefused."""
    return None if environ.get("HTTP_TRANSFER_ENCODING") else _content_length(environ)


def check_coding(environ: Mapping[str, Any], *, allowed: Collection[str] = ()) -> None:
    """Raises BodyRefused with UNKNOWN_CODING unless Content-Encoding is absent, `identity` or one of `allowed`."""
    if _coding(environ) not in {"", "identity", *allowed}:
        raise BodyRefused(Reason.UNKNOWN_CODING)


def is_gzip(environ: Mapping[str, Any]) -> bool:
    return _coding(environ) in {"gzip", "x-gzip"}


def _coding(environ: Mapping[str, Any]) -> str:
    return str(environ.get("HTTP_CONTENT_ENCODING", "")).strip().lower()


def _content_length(environ: Mapping[str, Any]) -> int:
    digits = str(environ.get("CONTENT_LENGTH") or "0").strip()
    if not (digits.isascii() and digits.isdigit()):
        raise BodyRefused(Reason.CUT_SHORT)
    return int(digits) if len(digits) < 20 else 10**20


def _exactly(stream: Stream, length: int, max_bytes: int) -> Iterator[bytes]:
    if length > max_bytes:
        raise BodyRefused(Reason.TOO_LARGE)
    while length:
        block = _block(stream, min(_STEP, length))
        if not block:  # the caller went away in the middle
            raise BodyRefused(Reason.CUT_SHORT)
        length -= len(block)
        yield block


def _until_end(stream: Stream) -> Iterator[bytes]:
    while block := _block(stream, _STEP):
        yield block


def _block(stream: Stream, size: int) -> bytes:
    try:
        return stream.read(size)
    except OSError as error:  # nothing came for some seconds, the connection broke, or a chunk cannot be read
        raise BodyRefused(Reason.CUT_SHORT) from error


def _counted(blocks: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    count = 0
    for block in blocks:
        count += len(block)
        if count > max_bytes:
            raise BodyRefused(Reason.TOO_LARGE)
        yield block


def _open_gzip(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Open one gzip member after another; zero bytes between and behind them are padding.

    A gzip body of no bytes at all is not gzip data.
    """
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
                opened = member.decompress(pending, _STEP)
                yield opened
                if member.eof:
                    pending, member = member.unused_data, None
                elif not (pending := member.unconsumed_tail) and len(opened) < _STEP:
                    break
    except zlib.error as error:
        raise BodyRefused(Reason.BAD_GZIP) from error
    if member is not None or not members:
        raise BodyRefused(Reason.BAD_GZIP)
