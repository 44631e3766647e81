"""The wire: tokens, requests, errors, and when to try again. Nothing here waits or connects."""

import base64
import email.utils
import hashlib
import hmac
import json
import random
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar, cast

import httpx

from signalbox import errors
from signalbox._calls import Call
from signalbox._records import StoredRecord

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
_URL_FIX = "Use the URL of the service, such as https://signalbox.example.org."
_LONGEST_OF_URL = 60_000  # characters of its path, or of its parameters: httpx takes 65,536
_LOCAL = ("127.0.0.1", "localhost", "[::1]")

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
    signalbox.errors.SignalboxError: The URL of the service must start with https:// or http://
    """
    if not url.startswith(("https://", "http://")):
        raise errors.SignalboxError("The URL of the service must start with https:// or http://", fix=_URL_FIX)
    try:
        parsed = httpx.URL(url)
        parsed.host.encode("idna")  # as the resolver does
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise errors.SignalboxError("The URL of the service is not valid", fix=_URL_FIX) from error
    if parsed.userinfo:  # it would replace the key, and messages would show it
        raise errors.SignalboxError("The URL of the service must not contain a password", fix=_URL_FIX)
    if not parsed.host or parsed.query or parsed.fragment:
        raise errors.SignalboxError("The URL of the service is not complete", fix=_URL_FIX)
    return url.rstrip("/")


def http_options(url: str) -> dict[str, Any]:
    """Return the arguments of an HTTP client. A service on this machine is called without a proxy."""
    local = {f"all://{host}": None for host in _LOCAL}
    return {"base_url": url, "follow_redirects": False, "mounts": local, "verify": _tls_context()}


@lru_cache(maxsize=1)
def _tls_context() -> ssl.SSLContext:
    """Return the context of all clients. To read the certificate authorities takes 20 ms."""
    return httpx.create_ssl_context()


@contextmanager
def settings_of_environment() -> Iterator[None]:
    """Raise SignalboxError for variables such as HTTPS_PROXY and SSL_CERT_FILE that have no meaning."""
    try:
        yield
    except (ValueError, ImportError, OSError, httpx.InvalidURL) as error:
        raise errors.SignalboxError(
            "The environment names a proxy or certificates that cannot be used",
            fix="Check the variables HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
        ) from error


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
    if call.json is not None:
        headers.setdefault("Content-Type", "application/json")
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
    for name, value in headers.items():
        if not (value.isascii() and value.isprintable()):
            kind, status = ("token", 401) if name == "Authorization" else (f"header {name}", 400)
            raise errors.of_status(status)(
                f"The {kind} has characters that it cannot have", status_code=status, fix="Copy it again."
            )
    return headers


def body_of(call: Call[Any]) -> dict[str, Any]:
    """Return the content of a call as an argument of httpx. Raises SignalboxError for what JSON cannot express."""
    if call.json is None:
        return {} if call.content is None else {"content": call.content}
    try:
        return {"content": json.dumps(call.json, separators=(",", ":"), allow_nan=False).encode()}
    except (TypeError, ValueError, RecursionError) as error:
        raise errors.SignalboxError(
            "A value cannot be written as JSON", fix="Use texts, finite numbers, booleans, lists and dictionaries."
        ) from error


def check_length(call: Call[Any]) -> None:
    """Raise SignalboxError for a call that does not fit into a URL."""
    if max(len(call.path), len(str(httpx.QueryParams(call.params)))) > _LONGEST_OF_URL:
        raise errors.SignalboxError("A parameter is too long for a URL", fix="Shorten the ids and parameters.")


def read(call: Call[Result], response: httpx.Response) -> Result:
    """Return the result of an answer. Raises ApiError."""
    if response.is_success:
        return cast(Result, _result(call, response))
    raise error_of(response)


def _result(call: Call[Any], response: httpx.Response) -> Any:
    """Return the JSON of an answer. Only calls that change something may have none."""
    if not response.content and call.method != "GET" and not call.has_status:
        return None
    found = _json(response)
    if not isinstance(found, dict) or (call.has_status and found.get("status") != "ok"):
        raise _of_another(response)
    return StoredRecord(found, response.headers.get("ETag", "").strip('"')) if call.has_etag else found


def error_of(response: httpx.Response) -> errors.ApiError:
    """Return the error of an answer, in either form of the service, or of something in front of it."""
    body = _json(response)
    given = body.get("errors", []) if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(given, list):
        return _of_another(response)
    found = [one for one in given if isinstance(one, dict)]
    is_data = "status" in body
    message = str(body.get("message", "")) if is_data else "; ".join(str(one.get("message", "")) for one in found)
    if not message:
        return _of_another(response)
    if is_data and found:
        first = found[0]
        message = f"{message.rstrip('.')}: record {first.get('index')}, {first.get('field')}: {first.get('message')}"
    link = _HELP.search(response.headers.get("Link", ""))
    return errors.of_status(response.status_code)(
        message,
        status_code=response.status_code,
        errors=found,
        request_id=response.headers.get("X-Request-Id"),
        retry_after=_retry_after(response),
        fix=body.get("fix") or (found[0].get("fix") if found else None),
        docs=link[1] if link else None,
    )


def _of_another(response: httpx.Response) -> errors.ApiError:
    """Return the error of an answer that is not one of Signalbox."""
    url, status = response.request.url, response.status_code
    fix = "Check the URL of the service and what is in front of it, then try again."
    if response.is_redirect:
        fix = f"It sends callers to {response.headers.get('Location', '')[:200]!r}: check the URL of the service."
    return errors.of_status(status if status >= 400 else 502)(
        f"{url.scheme}://{url.netloc.decode()} did not answer as Signalbox does: {status} {response.reason_phrase}",
        status_code=status,
        retry_after=_retry_after(response),
        fix=fix,
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
    except (ValueError, OverflowError):
        return None
    return max((at - datetime.now(UTC)).total_seconds(), 0.0)


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None
