"""Calls as values: what to send, and whether it may be repeated. Both clients send the same calls."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Result]):
    """One request.

    credentials: `key` signs a token for the sending API, `data` and `sandbox` are bearer tokens
    is_repeatable: whether the request may be sent again if its answer is lost
    has_etag: whether the result is a `StoredRecord`, which has the `ETag` of the answer
    has_status: whether an answer without `"status": "ok"` comes from another service
    """

    method: str
    path: str
    credentials: str = "key"
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = False
    timeout_seconds: float | None = None
    token: str | None = None
    has_etag: bool = False
    has_status: bool = False


def get(path: str, *, credentials: str = "key", **params: Any) -> Call[Any]:
    """Return a call that reads. Parameters without a value are left out."""
    return Call(
        method="GET",
        path=path,
        credentials=credentials,
        params=cleaned(params),
        is_repeatable=True,
    )


def send(
    method: str, path: str, body: Any = None, *, credentials: str = "key", is_repeatable: bool = False
) -> Call[Any]:
    """Return a call that changes something."""
    return Call(
        method=method,
        path=path,
        credentials=credentials,
        json=cleaned(body) if isinstance(body, dict) else body,
        is_repeatable=is_repeatable,
    )


def once(path: str, body: Mapping[str, Any], idempotency_key: str | None, **params: Any) -> Call[Any]:
    """Return a POST that the service carries out once, however often it arrives."""
    return Call(
        method="POST",
        path=path,
        params=cleaned(params),
        json=cleaned(body),
        headers={} if params.get("dry_run") else {"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
        is_repeatable=True,
    )


def cleaned(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without None, with times as text.

    >>> from datetime import UTC
    >>> cleaned({"a": None, "b": False, "at": datetime(2026, 11, 20, tzinfo=UTC)})
    {'b': False, 'at': '2026-11-20T00:00:00+00:00'}
    """
    return {name: as_text(value) for name, value in values.items() if value is not None}


def segment(text: str) -> str:
    """Return a text as one part of a path.

    >>> segment("a/b:é"), segment("..")
    ('a%2Fb%3A%C3%A9', '%2E%2E')
    """
    return quote(text, safe="") if text.strip(".") else text.replace(".", "%2E")


def as_text(value: Any) -> Any:
    """Return a time as ISO 8601 and other values unchanged. A time without a zone is local time."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    return value.isoformat() if isinstance(value, date) else value
