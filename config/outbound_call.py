"""One call from here to an address that a user has set: looked up once, judged, and called at just that address.

The operator's own network cannot be reached through it: not by a name that leads there, not by one that changes
between look and call, not by a redirect, not through a proxy of the environment.
http.client stands under it, since it follows nothing and reads no environment; the packages that guard calls lack a
deadline for the whole, the operator's exceptions, or embedded addresses such as NAT64 (looked at on 2026-11-21).
Source: Security and reliability §6.
"""

import contextlib
import http.client
import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Self

from config import outbound
from config.outbound import Address, Target, UnsafeUrl

MAX_ANSWER_BYTES = 64 * 1024
SECONDS = 10.0  # for everything, the look-up included

Resolve = Callable[[str, int], Sequence[str]]


class CallFailed(Exception):
    """No answer came; the message says why in a few words, without the address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back. body: its first 64 KiB, less where the time was over before."""

    status: int
    body: bytes


def resolve(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a name. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(entry[4][0]) for entry in found]


def check_where_it_leads(url: str, *, seconds: float = SECONDS, resolve: Resolve = resolve) -> None:
    """Refuse a URL by its form and by what its name resolves to now. Raises UnsafeUrl; CallFailed: no such name."""
    _safe_addresses(outbound.parse(url), time.monotonic() + seconds, resolve)


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, seconds: float = SECONDS, resolve: Resolve = resolve
) -> Answer:
    """Post once, within `seconds` in all. A redirect is an answer like any other.

    Raises UnsafeUrl: not to be called from here, and nothing was; CallFailed: no answer.
    """
    target = outbound.parse(url)
    ends_at = time.monotonic() + seconds
    connection = _Pinned(target, _safe_addresses(target, ends_at, resolve), ends_at)
    try:
        with _Timer(connection, ends_at), contextlib.closing(connection):
            connection.request("POST", target.path, body, {"User-Agent": "Signalbox", **headers})
            response = connection.getresponse()
            _left(ends_at)  # a head that was cut off by the timer reads like a whole one
            return Answer(status=response.status, body=_read(response))
    except (OSError, http.client.HTTPException) as error:
        is_over = isinstance(error, TimeoutError) or time.monotonic() >= ends_at
        raise CallFailed(f"no answer within {seconds:g} s" if is_over else _words(error)) from error


class _Pinned(http.client.HTTPConnection):
    """A connection to addresses that have been checked; the name is for SNI, certificate and Host alone."""

    def __init__(self, target: Target, addresses: Sequence[Address], ends_at: float) -> None:
        self.default_port = 443 if target.scheme == "https" else 80  # left out of Host
        super().__init__(target.host, target.port)
        self._tls = _tls() if target.scheme == "https" else None
        self._addresses = addresses
        self._ends_at = ends_at

    def connect(self) -> None:
        self.sock = self._open()
        if self._tls is not None:
            name = self.host.rstrip(".")
            # The handshake waits until the timer can see this socket, or a peer could drip it for ever.
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=name, do_handshake_on_connect=False)
            self.sock.settimeout(_left(self._ends_at))
            self.sock.do_handshake()
        self.sock.settimeout(_left(self._ends_at))

    def _open(self) -> socket.socket:
        """Connect to the first address that answers; each has an equal share of the time left. Raises OSError."""
        for number, address in enumerate(self._addresses, 1):
            others = len(self._addresses) - number
            try:
                return socket.create_connection((str(address), self.port), _left(self._ends_at) / (others + 1))
            except OSError:
                if not others:
                    raise
        raise ConnectionError


class _Timer:
    """Shuts the socket when the time is over: time-outs of single reads never end against a peer that drips."""

    def __init__(self, connection: http.client.HTTPConnection, ends_at: float) -> None:
        self._connection = connection
        self._timer = threading.Timer(_left(ends_at), self._shut)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def _shut(self) -> None:
        sock = self._connection.sock
        if sock is not None:
            with contextlib.suppress(OSError):
                # Not SSLSocket's own: that one forgets its TLS state beneath the thread that is reading.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """The system's authorities, read once: reading them takes longer than a call."""
    return ssl.create_default_context()


def forget_authorities() -> None:
    """Read the system's authorities again at the next call."""
    _tls.cache_clear()


def _safe_addresses(target: Target, ends_at: float, resolve: Resolve) -> list[Address]:
    """Look the name up once, and refuse it whole where one of its addresses is not to be called.

    Raises UnsafeUrl, CallFailed.
    """
    addresses = [ipaddress.ip_address(found) for found in _look_up(target, ends_at, resolve)]
    if not addresses:
        raise CallFailed("the name has no address")
    for address in addresses:
        allowed = outbound.is_allowed(address)
        if not allowed and not outbound.is_public(address):
            raise UnsafeUrl(outbound.PRIVATE)
        if not allowed and target.scheme != "https":
            raise UnsafeUrl("must start https://")
    return addresses


def _look_up(target: Target, ends_at: float, resolve: Resolve) -> Sequence[str]:
    """Ask in a thread of its own: the system's look-up cannot be told to end, so it is given up."""
    answers: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(target.host, target.port))
        except (OSError, UnicodeError) as error:  # the second: a label too long or empty
            answers.put(OSError(str(error)))

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        answer = answers.get(timeout=max(0.0, ends_at - time.monotonic()))
    except queue.Empty as error:
        raise CallFailed("the name could not be looked up in time") from error
    if isinstance(answer, OSError):
        raise CallFailed("the name could not be looked up") from answer
    return answer


def _read(response: http.client.HTTPResponse) -> bytes:
    """Return the beginning of the answer; what breaks off has been answered all the same."""
    body = b""
    with contextlib.suppress(OSError, http.client.HTTPException):
        while len(body) < MAX_ANSWER_BYTES and (chunk := response.read1(MAX_ANSWER_BYTES - len(body))):
            body += chunk
    return body


def _left(ends_at: float) -> float:
    """Raises TimeoutError, an OSError, when nothing is left."""
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _words(error: Exception) -> str:
    """Say what went wrong without what the peer has sent."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not valid: {error.verify_message}"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    return f"the connection failed: {type(error).__name__}"
