"""Calls to providers over HTTP: kept connections, no redirects, short answers, and an end to every wait.

Source: Security and reliability §11, §12.
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

from notifications.delivery.messages import DeliveryFailure, PermanentFailure, TemporaryFailure
from notifications.delivery.providers import connection_errors
from notifications.delivery.providers.deadline import Deadline

CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0  # of each read
TOTAL_SECONDS = 15.0  # of one call, whatever the other side does
MAX_ANSWER_BYTES = 64 * 1024
LONGEST_RETRY_AFTER = timedelta(hours=1)

_REFUSES_US = {401, 403}
_WORTH_ANOTHER_TRY = {408, 425, 429}


def server_of(url: str) -> tuple[str, int]:
    """Return host and port of a provider's address."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


_of_thread = threading.local()  # the deadline of the call this thread is making


class Session(requests.Session):
    """A session as `requests` has it, safe against a provider that misbehaves. An answer is cut after 64 KiB."""

    def __init__(self, *, read_seconds: float = READ_SECONDS, total_seconds: float = TOTAL_SECONDS) -> None:
        super().__init__()
        self.trust_env = False  # no proxy and no passwords from the environment
        self.headers["Accept-Encoding"] = "identity"
        self._timeouts = (CONNECT_SECONDS, read_seconds)
        self._total_seconds = total_seconds
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def request(self, *arguments: Any, **options: Any) -> requests.Response:  # Any: as the base class takes them
        """Raises requests.RequestException."""
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


def session_of_thread(holder: threading.local, **seconds: float) -> Session:
    """Return the session `holder` keeps for this thread; connections are used again, never by two threads at once."""
    if not hasattr(holder, "session"):
        holder.session = Session(**seconds)
    session: Session = holder.session
    return session


def check(response: requests.Response) -> None:
    """Judge an answer by its status. Raises DeliveryFailure unless it is a success."""
    if not 200 <= response.status_code <= 299:
        raise refusal(response.status_code, response.text, response.headers.get("Retry-After"))


def refusal(code: int, words: str, retry_after: str | None = None) -> DeliveryFailure:
    """Return what a status other than a success means for the message."""
    reason, reply = f"HTTP {code}", f"{code} {words}"
    if code in _REFUSES_US or 300 <= code <= 399:
        return TemporaryFailure(reason, reply=reply, is_our_fault=True)
    if code >= 500 or code in _WORTH_ANOTHER_TRY:
        return TemporaryFailure(reason, reply=reply, retry_after=read_retry_after(retry_after))
    return PermanentFailure(reason, reply=reply)


def broken(error: Exception) -> TemporaryFailure:
    """Return what a call without an answer means: in doubt the provider has the message."""
    words = connection_errors.sentence(error)
    return TemporaryFailure(type(error).__name__, reply=words, is_uncertain=not _never_connected(error))


def unreadable(response: requests.Response) -> TemporaryFailure:
    """Return what a success means that says nothing we can read."""
    return TemporaryFailure("unreadable answer", reply=f"{response.status_code} {response.text}", is_uncertain=True)


def read_retry_after(value: str | None) -> timedelta | None:
    """Read the header, in seconds or as a date; never more than an hour. Source: RFC 9110 §10.2.3.

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
    """Read up to the cap; a connection with more to say is not used again."""
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


class _Held:
    """What a deadline watches: http.client lets go of its socket before the answer has been read."""

    def __init__(self, sock: Any) -> None:  # Any: urllib3 has no type for it
        self.sock = sock


class _Watched(HTTPConnection):
    """Under the deadline of its call from the first byte on: headers may drip for ever."""

    def connect(self) -> None:
        _of_thread.deadline.watch(self)
        super().connect()
        _of_thread.deadline.watch(_Held(self.sock))

    def putrequest(self, *arguments: Any, **options: Any) -> None:  # Any: as the base class takes them
        if self.sock is not None:
            _of_thread.deadline.watch(_Held(self.sock))
        super().putrequest(*arguments, **options)


class _WatchedSecure(_Watched, HTTPSConnection):
    pass


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Watched


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _WatchedSecure


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:  # Any: as the base class takes them
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
