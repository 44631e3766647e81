"""The wire: tokens, requests, errors, and when to try again. Nothing here waits or connects."""

import base64
import email.utils
import hashlib
import hmac
import json
import random
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import httpx

from signalbox import errors
from signalbox._calls import Call

# The service adds `fix` and `docs` to its errors for this type.
ACCEPT = "application/vnd.signalbox+json"
TIMEOUT_SECONDS = 30.0
MAX_RETRIES = 2
_TRY_AGAIN = frozenset({429, 500, 502, 503, 504})
_FIRST_DELAY_SECONDS, _LONGEST_DELAY_SECONDS = 0.5, 8.0
_LONGEST_RETRY_AFTER_SECONDS = 60.0
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_KEY = re.compile(rf"(?P<name>[^ ]*?)-(?P<service>{_UUID})-(?P<secret>{_UUID})", re.IGNORECASE)
_HELP = re.compile(r'<([^>]+)>;\s*rel="?help"?')
_FAILED = "The service failed"

Result = TypeVar("Result")

try:
    VERSION = version("signalbox")
except PackageNotFoundError:  # used from a checkout
    VERSION = "0"


def base_url(url: str) -> str:
    """Return the URL without a slash at its end.

    >>> base_url("https://signalbox.example.org/")
    'https://signalbox.example.org'
    >>> base_url("signalbox.example.org")
    Traceback (most recent call last):
    signalbox.errors.SignalboxError: The URL 'signalbox.example.org' must start with https:// or http://
    """
    if not url.startswith(("https://", "http://")):
        raise errors.SignalboxError(
            f"The URL {url!r} must start with https:// or http://", fix="Use the URL of the service, without a path."
        )
    return url.rstrip("/")


def sign(key: str, now: float | None = None) -> str:
    """Return the token of a call, which is valid for 30 seconds. Raises AuthenticationFailed for half a key."""
    found = _KEY.fullmatch(key.strip())
    if not found:
        raise errors.AuthenticationFailed(
            "The API key is not complete",
            status_code=403,
            fix="Copy the whole key again: name, service id and secret.",
        )
    header = {"typ": "JWT", "alg": "HS256"}
    claims = {"iss": found["service"], "iat": int(time.time() if now is None else now)}
    signed = b".".join(_encode(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    return (signed + b"." + _encode(hmac.digest(found["secret"].encode(), signed, hashlib.sha256))).decode()


def _encode(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def headers_of(call: Call[Any], key: str | None, tokens: Mapping[str, str | None]) -> dict[str, str]:
    """Return the headers of a call. Raises AuthenticationFailed if its secret is missing."""
    headers = {"Accept": ACCEPT, "User-Agent": f"signalbox-python/{VERSION}", **call.headers}
    if call.credentials == "key":
        if not key:
            raise errors.AuthenticationFailed(
                "This call needs an API key", status_code=401, fix="Pass the key: Signalbox(url, key)."
            )
        headers["Authorization"] = f"Bearer {sign(key)}"
    elif token := call.token or tokens.get(call.credentials):
        headers["Authorization"] = f"Bearer {token}"
    elif call.credentials == "data":
        raise errors.AuthenticationFailed(
            "This call needs the token of the data set",
            status_code=401,
            fix="Pass the token: client.data_set(path, token), or Signalbox(url, data_token=token).",
        )
    return headers


def read(call: Call[Result], response: httpx.Response) -> Result:
    """Return the result of an answer. Raises ApiError."""
    if response.is_success:
        return call.parse(_json(response) if response.content else None)
    raise error_of(response)


def error_of(response: httpx.Response) -> errors.ApiError:
    """Return the error of an answer, in either form of the service, or of something in front of it."""
    body = _json(response)
    body = body if isinstance(body, dict) else {}
    found = [one for one in body.get("errors", []) if isinstance(one, dict)]
    is_data = "status" in body
    message = body.get("message") if is_data else "; ".join(str(one.get("message", "")) for one in found)
    if is_data and found:
        first = found[0]
        message = f"{message}: record {first.get('index')}, {first.get('field')}: {first.get('message')}"
    link = _HELP.search(response.headers.get("Link", ""))
    return errors.of_status(response.status_code)(
        message or f"{_FAILED}: {response.status_code} {response.reason_phrase}",
        status_code=response.status_code,
        errors=found,
        request_id=response.headers.get("X-Request-Id"),
        retry_after=_retry_after(response),
        fix=found[0].get("fix") if found else None,
        docs=link[1] if link else None,
    )


def connection_error(url: str, error: Exception) -> errors.ConnectionFailed:
    """Return the error without the parameters of the URL."""
    words = "no answer in time" if isinstance(error, httpx.TimeoutException) else _reason(error)
    return errors.ConnectionFailed(
        f"No answer from {url}: {words}", fix="Check the URL, the network, and that the service runs."
    )


def _reason(error: Exception) -> str:
    text = str(error).lower()
    if "refused" in text or "all connection attempts failed" in text:
        return "connection refused"
    if "name or service not known" in text or "nodename" in text or "name resolution" in text:
        return "the host name is not known"
    return "the certificate is not valid" if "certificate" in text else f"the connection broke ({type(error).__name__})"


def delay_before_retry(call: Call[Any], attempt: int, limit: int, response: httpx.Response | None) -> float | None:
    """Return the seconds before the next attempt, or None if there is none.

    attempt: the number of attempts so far; limit: the most repeats; response: None if there was no answer
    """
    if attempt > limit or (response is not None and response.status_code not in _TRY_AGAIN):
        return None
    # A refused request was not carried out, so 429 is always safe. An unknown outcome needs a repeatable call.
    if not call.is_repeatable and (response is None or response.status_code != 429):
        return None
    wanted = _retry_after(response) if response is not None else None
    if wanted is not None:
        return wanted if wanted <= _LONGEST_RETRY_AFTER_SECONDS else None
    longest: float = min(_FIRST_DELAY_SECONDS * 2.0 ** (attempt - 1), _LONGEST_DELAY_SECONDS)
    return longest * random.uniform(0.5, 1)  # noqa: S311  no secret


def _retry_after(response: httpx.Response) -> float | None:
    text = str(response.headers.get("Retry-After", ""))
    if text.isdecimal():
        return float(text)
    try:
        at = email.utils.parsedate_to_datetime(text).astimezone(UTC)
    except ValueError:
        return None
    return max((at - datetime.now(UTC)).total_seconds(), 0.0)


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None
