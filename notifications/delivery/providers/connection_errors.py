"""Descriptions of connection errors for staff, without class names and without the provider's URL."""

import errno
import socket
import ssl
from collections.abc import Iterator

import requests
import urllib3.exceptions

_REFUSED = "Its host refused the connection."
_UNKNOWN_HOST = "The name of its host was not found."
_TLS = "No safe connection (TLS) could be made to it."
_NO_ROUTE = "No network leads to its host."
_SLOW = "It did not answer in time."
_CLOSED = "The connection was closed before an answer came."

# The order matters, because some classes contain others: a time-out is an OSError, too.
_SENTENCES: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((socket.gaierror, urllib3.exceptions.NameResolutionError), _UNKNOWN_HOST),
    ((ssl.SSLCertVerificationError,), "Its TLS certificate is not trusted, or is for another host."),
    ((ssl.SSLError, requests.exceptions.SSLError), _TLS),
    ((ConnectionRefusedError,), _REFUSED),
    ((TimeoutError, requests.Timeout, urllib3.exceptions.TimeoutError), _SLOW),
)


def sentence(error: BaseException) -> str:
    r"""Return a sentence for the error and its causes.

    >>> sentence(ConnectionRefusedError(111, "x")), sentence(OSError("[Errno 32] broken pipe"))
    ('Its host refused the connection.', 'The connection was closed before an answer came.')
    """
    causes = list(_causes(error))
    if any(getattr(one, "errno", None) in (errno.ENETUNREACH, errno.EHOSTUNREACH) for one in causes):
        return _NO_ROUTE
    return next((words for kinds, words in _SENTENCES if any(isinstance(one, kinds) for one in causes)), _CLOSED)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Return the error and its causes. Some libraries keep causes in `reason` and in their arguments."""
    seen: list[BaseException] = []
    waiting = [error]
    while waiting:
        one = waiting.pop(0)
        if any(one is other for other in seen):
            continue
        seen.append(one)
        linked = (one.__cause__, one.__context__, getattr(one, "reason", None), *one.args)
        waiting.extend(link for link in linked if isinstance(link, BaseException))
    yield from seen
