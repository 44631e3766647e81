"""HTTP calls to providers: persistent connections, no redirects, limited answers, and a deadline for each call.

Source: docs/reference/security.md §11, §12.
"""

import email.utils
import io
import threading
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from django.utils import timezone
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError

from config.outbound.deadline import Deadline
from notifications.delivery.messages import DeliveryFailure, PermanentFailure, TemporaryFailure
from notifications.delivery.providers import connection_errors

CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0  # of each read
TOTAL_SECONDS = 15.0  # of one call, even if the provider sends data slowly
MAX_ANSWER_BYTES = 64 * 1024
LONGEST_RETRY_AFTER = timedelta(hours=1)

_REJECTED_LOGIN = {401, 403}
_TEMPORARY = {408, 425, 429}


def server_of(url: str) -> tuple[str, int]:
    """Return the host and port of a URL."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


_of_thread = threading.local()  # the deadline of the current call of each thread


class HttpSession(requests.Session):
    """A `requests` session with limits against a faulty provider. It cuts an answer after 64 KiB."""

    def __init__(self, *, read_seconds: float = READ_SECONDS, total_seconds: float = TOTAL_SECONDS) -> None:
        super().__init__()
        self.trust_env = False  # ignore proxies and passwords in the environment
        self.headers["Accept-Encoding"] = "identity"
        self._timeouts = (CONNECT_SECONDS, read_seconds)
        self._total_seconds = total_seconds
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def request(self, *arguments: Any, **options: Any) -> requests.Response:  # Any: the signature of the base class
        """Raise requests.RequestException."""
        options |= {"allow_redirects": False, "timeout": self._timeouts, "stream": True}
        with Deadline(self._total_seconds) as deadline:
            _of_thread.deadline = deadline
            try:
                response = super().request(*arguments, **options)
                response.raw = io.BytesIO(_read(response.raw))
            except HTTPError as error:
                raise requests.ConnectionError(error) from error
            finally:
                del _of_thread.deadline
            if deadline.has_passed:
                raise requests.ReadTimeout(f"over {self._total_seconds:g} s")
        return response


def check(response: requests.Response) -> None:
    """Raise DeliveryFailure unless the status of the response is a success."""
    if not 200 <= response.status_code <= 299:
        raise failure_for(response.status_code, response.text, response.headers.get("Retry-After"))


def failure_for(code: int, words: str, retry_after: str | None = None) -> DeliveryFailure:
    """Return the failure for a status that is not a success."""
    reason, reply = f"HTTP {code}", f"{code} {words}"
    if code in _REJECTED_LOGIN or 300 <= code <= 399:
        return TemporaryFailure(reason, reply=reply, opens_circuit=True)
    if code >= 500 or code in _TEMPORARY:
        return TemporaryFailure(reason, reply=reply, retry_after=read_retry_after(retry_after))
    return PermanentFailure(reason, reply=reply)


def connection_failure(error: Exception) -> TemporaryFailure:
    """Return the failure for a call without an answer. If in doubt, the provider may have the message."""
    words = connection_errors.sentence(error)
    return TemporaryFailure(type(error).__name__, reply=words, is_uncertain=not _never_connected(error))


def unreadable(response: requests.Response) -> TemporaryFailure:
    """Return the failure for a success whose body is unreadable."""
    return TemporaryFailure("unreadable answer", reply=f"{response.status_code} {response.text}", is_uncertain=True)


def read_retry_after(value: str | None) -> timedelta | None:
    """Return the delay of a Retry-After header, at most one hour. Source: RFC 9110 §10.2.3.

    >>> read_retry_after("120"), read_retry_after("99999"), read_retry_after("soon")
    (datetime.timedelta(seconds=120), datetime.timedelta(seconds=3600), None)
    """
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return min(timedelta(seconds=int(value[:9])), LONGEST_RETRY_AFTER)
    try:
        wait = email.utils.parsedate_to_datetime(value) - timezone.now()
    except (ValueError, TypeError):
        return None
    return min(max(wait, timedelta(0)), LONGEST_RETRY_AFTER)


def _never_connected(error: BaseException | None) -> bool:
    if isinstance(error, requests.ConnectTimeout | requests.exceptions.SSLError | NewConnectionError):
        return True
    inner = getattr(error, "reason", None) or next(iter(getattr(error, "args", ())), None)
    return isinstance(inner, Exception) and _never_connected(inner)


def _read(raw: urllib3.HTTPResponse) -> bytes:
    """Read up to the limit. Close the connection if the answer is longer."""
    blocks: list[bytes] = []
    left = MAX_ANSWER_BYTES
    while left and (block := raw.read1(left, decode_content=True)):
        blocks.append(block)
        left -= len(block)
    if left:
        raw.release_conn()
    else:
        raw.close()
    return b"".join(blocks)


class _Watched(HTTPConnection):
    """A connection under the deadline of its call, because a peer may send headers without end."""

    def connect(self) -> None:
        _of_thread.deadline.watch(self)
        super().connect()
        _of_thread.deadline.watch(self.sock)  # this object drops the socket before the answer has been read

    def putrequest(self, *arguments: Any, **options: Any) -> None:  # Any: the signature of the base class
        if self.sock is not None:
            _of_thread.deadline.watch(self.sock)
        super().putrequest(*arguments, **options)


class _WatchedSecure(_Watched, HTTPSConnection):
    pass


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Watched


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _WatchedSecure


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:  # Any: the signature of the base class
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
