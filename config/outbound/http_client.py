"""Call a URL that a user has set, without access to the operator's network (SSRF).

The client resolves the host name once, checks the IP addresses, and connects to one of them. So a name that resolves
to a private network, DNS rebinding, redirects and proxies of the environment cannot reach the operator's network.
It uses http.client, which follows no redirect and reads no environment. The packages against SSRF lack a deadline for
the whole call, exceptions for the operator, or embedded IP addresses such as NAT64 (checked on 2026-11-21).
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
from config.outbound.targets import IPAddress, Target, UnsafeUrl

MAX_ANSWER_BYTES = 64 * 1024
SECONDS = 10.0  # for the whole call with its look-up

Resolve = Callable[[str, int], Sequence[str]]


class CallFailed(Exception):
    """The call got no response. The message is the reason, without the URL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response. body: its beginning (of a POST 64 KiB), or less if the time was over."""

    status: int
    body: bytes


def resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host name. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(entry[4][0]) for entry in found]


def check_where_it_leads(url: str, *, seconds: float = SECONDS, resolve: Resolve = resolve) -> None:
    """Check the form of a URL and the IP addresses that its host has now.

    Raises UnsafeUrl, or CallFailed if the host name cannot be resolved.
    """
    _safe_ip_addresses(targets.parse(url), Deadline(seconds), resolve)


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, seconds: float = SECONDS, resolve: Resolve = resolve
) -> Answer:
    """Send one POST request within `seconds` and return the response. Redirects are not followed.

    Raises UnsafeUrl if the URL must not be called; nothing was sent. Raises CallFailed if there is no response.
    """
    return _call("POST", url, body, headers, seconds=seconds, resolve=resolve, max_bytes=MAX_ANSWER_BYTES)


def get(
    url: str, headers: Mapping[str, str], *, max_bytes: int, seconds: float = SECONDS, resolve: Resolve = resolve
) -> Answer:
    """Send one GET request, as `post` does. max_bytes: of the body, which ends there"""
    return _call("GET", url, None, headers, seconds=seconds, resolve=resolve, max_bytes=max_bytes)


def _call(
    method: str,
    url: str,
    body: bytes | None,
    headers: Mapping[str, str],
    *,
    seconds: float,
    resolve: Resolve,
    max_bytes: int,
) -> Answer:
    target = targets.parse(url)
    deadline = Deadline(seconds)
    connection = _Pinned(target, _safe_ip_addresses(target, deadline, resolve), deadline)
    try:
        with deadline, contextlib.closing(connection):
            connection.request(method, target.path, body, {"User-Agent": "Signalbox", **headers})
            response = connection.getresponse()
            deadline.seconds_left()  # http.client accepts headers that the deadline has cut off
            return Answer(status=response.status, body=_read(response, max_bytes))
    except (OSError, http.client.HTTPException) as error:
        is_over = isinstance(error, TimeoutError) or deadline.has_passed
        raise CallFailed(f"no answer within {seconds:g} s" if is_over else _words(error)) from error


class _Pinned(http.client.HTTPConnection):
    """A connection to checked IP addresses. The host name is for SNI, the certificate and the Host header only."""

    def __init__(self, target: Target, ip_addresses: Sequence[IPAddress], deadline: Deadline) -> None:
        self.default_port = 443 if target.scheme == "https" else 80  # left out of Host
        super().__init__(target.host, target.port)
        self._tls = tls_context() if target.scheme == "https" else None
        self._ip_addresses = ip_addresses
        self._deadline = deadline

    def connect(self) -> None:
        self.sock = self._open()
        if self._tls is not None:
            name = self.host.rstrip(".")
            # The handshake starts when the deadline watches this socket, or a peer could prolong it endlessly.
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=name, do_handshake_on_connect=False)
            self._deadline.watch(self.sock)
            self._deadline.limit(self.sock)
            self.sock.do_handshake()
        self._deadline.watch(self.sock)
        self._deadline.limit(self.sock)

    def _open(self) -> socket.socket:
        """Connect to the first IP address that accepts. Each one gets an equal share of the time. Raises OSError."""
        for number, ip_address in enumerate(self._ip_addresses, 1):
            others = len(self._ip_addresses) - number
            try:
                return socket.create_connection(
                    (str(ip_address), self.port), self._deadline.seconds_left() / (others + 1)
                )
            except OSError:
                if not others:
                    raise
        raise ConnectionError


@lru_cache(maxsize=1)
def tls_context() -> ssl.SSLContext:
    """Return a context with the system's certificate authorities. Reading them takes longer than a call."""
    return ssl.create_default_context()


def _safe_ip_addresses(target: Target, deadline: Deadline, resolve: Resolve) -> list[IPAddress]:
    """Resolve the host name once and return its IP addresses.

    Raises UnsafeUrl if one of them must not be called, CallFailed if there is none.
    """
    ip_addresses = [ipaddress.ip_address(found) for found in _look_up(target, deadline, resolve)]
    if not ip_addresses:
        raise CallFailed("the host name has no IP address")
    for ip_address in ip_addresses:
        allowed = targets.is_allowed(ip_address)
        if not allowed and not targets.is_public(ip_address):
            raise UnsafeUrl(targets.PRIVATE)
        if not allowed and target.scheme != "https":
            raise UnsafeUrl("must start with https://")
    return ip_addresses


def _look_up(target: Target, deadline: Deadline, resolve: Resolve) -> Sequence[str]:
    """Resolve the host name in a separate thread, because the system's look-up has no time limit."""
    answers: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(target.host, target.port))
        except (OSError, UnicodeError) as error:  # UnicodeError: a label is empty or too long
            answers.put(OSError(str(error)))

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.seconds_left())
    except (queue.Empty, TimeoutError) as error:
        raise CallFailed("the host name could not be resolved in time") from error
    if isinstance(answer, OSError):
        raise CallFailed("the host name could not be resolved") from answer
    return answer


def _read(response: http.client.HTTPResponse, max_bytes: int) -> bytes:
    """Return the beginning of the body. A body that breaks off still counts as a response."""
    body = bytearray()
    with contextlib.suppress(OSError, http.client.HTTPException):
        while len(body) < max_bytes and (chunk := response.read1(max_bytes - len(body))):
            body += chunk
    return bytes(body)


def _words(error: Exception) -> str:
    """Return the reason of a failure without any text from the peer."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not valid: {error.verify_message}"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    return f"the connection failed: {type(error).__name__}"
