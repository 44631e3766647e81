"""One call from here to an address that a user has set: looked up once, judged, and called at just that address.

The operator's own network cannot be reached through it: not by a name that leads there, not by one that changes
between look and call, not by a redirect, not through a proxy of the environment.
http.client stands under it, since it follows nothing and reads no environment; the packages that guard calls lack a
deadline for the whole, the operator's exceptions, or embedded addresses such as NAT64 (looked at on 2026-11-21).
Source: docs/reference/security.md §6.
"""

import contextlib
import http.client
import ipaddress
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from config.outbound import targets
from config.outbound.deadline import Deadline
from config.outbound.targets import Address, Target, UnsafeUrl

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
    _safe_addresses(targets.parse(url), Deadline(seconds), resolve)


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, seconds: float = SECONDS, resolve: Resolve = resolve
) -> Answer:
    """Post once, within `seconds` in all. A redirect is an answer like any other.

    Raises UnsafeUrl: not to be called from here, and nothing was; CallFailed: no answer.
    """
    target = targets.parse(url)
    deadline = Deadline(seconds)
    connection = _Pinned(target, _safe_addresses(target, deadline, resolve), deadline)
    try:
        with deadline, contextlib.closing(connection):
            connection.request("POST", target.path, body, {"User-Agent": "Signalbox", **headers})
            response = connection.getresponse()
            deadline.seconds_left()  # a head that the deadline cut off reads like a whole one
            return Answer(status=response.status, body=_read(response))
    except (OSError, http.client.HTTPException) as error:
        is_over = isinstance(error, TimeoutError) or deadline.has_passed
        raise CallFailed(f"no answer within {seconds:g} s" if is_over else _words(error)) from error


class _Pinned(http.client.HTTPConnection):
    """A connection to addresses that have been checked; the name is for SNI, certificate and Host alone."""

    def __init__(self, target: Target, addresses: Sequence[Address], deadline: Deadline) -> None:
        self.default_port = 443 if target.scheme == "https" else 80  # left out of Host
        super().__init__(target.host, target.port)
        self._tls = _tls() if target.scheme == "https" else None
        self._addresses = addresses
        self._deadline = deadline

    def connect(self) -> None:
        self.sock = self._open()
        if self._tls is not None:
            name = self.host.rstrip(".")
            # The handshake waits until the deadline watches this socket, or a peer could prolong it endlessly.
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=name, do_handshake_on_connect=False)
            self._deadline.watch(self.sock)
            self._deadline.limit(self.sock)
            self.sock.do_handshake()
        self._deadline.watch(self.sock)
        self._deadline.limit(self.sock)

    def _open(self) -> socket.socket:
        """Connect to the first address that answers; each has an equal share of the time left. Raises OSError."""
        for number, address in enumerate(self._addresses, 1):
            others = len(self._addresses) - number
            try:
                return socket.create_connection((str(address), self.port), self._deadline.seconds_left() / (others + 1))
            except OSError:
                if not others:
                    raise
        raise ConnectionError


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """The system's authorities, read once: reading them takes longer than a call."""
    return ssl.create_default_context()


def forget_authorities() -> None:
    """Read the system's authorities again at the next call."""
    _tls.cache_clear()


def _safe_addresses(target: Target, deadline: Deadline, resolve: Resolve) -> list[Address]:
    """Look the name up once, and refuse it whole where one of its addresses is not to be called.

    Raises UnsafeUrl, CallFailed.
    """
    addresses = [ipaddress.ip_address(found) for found in _look_up(target, deadline, resolve)]
    if not addresses:
        raise CallFailed("the name has no address")
    for address in addresses:
        allowed = targets.is_allowed(address)
        if not allowed and not targets.is_public(address):
            raise UnsafeUrl(targets.PRIVATE)
        if not allowed and target.scheme != "https":
            raise UnsafeUrl("must start https://")
    return addresses


def _look_up(target: Target, deadline: Deadline, resolve: Resolve) -> Sequence[str]:
    """Look up the name in a separate thread, because the system's look-up has no time limit."""
    answers: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(target.host, target.port))
        except (OSError, UnicodeError) as error:  # the second: a label too long or empty
            answers.put(OSError(str(error)))

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.seconds_left())
    except (queue.Empty, TimeoutError) as error:
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


def _words(error: Exception) -> str:
    """Say what went wrong without what the peer has sent."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not valid: {error.verify_message}"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    return f"the connection failed: {type(error).__name__}"
