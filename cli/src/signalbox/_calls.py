"""Calls as values: what to send, and whether it may be repeated. Both clients send the same calls."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Result]):
    """One request.

    credentials: `key` signs a token for the sending API, `data` and `sandbox` are bearer tokens
    is_repeatable: whether the request may be sent again if its answer is lost
    parse: turns the JSON of the answer into the result
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
    parse: Callable[[Any], Result]


def get(path: str, *, credentials: str = "key", **params: Any) -> Call[Any]:
    """Return a call that reads. Parameters without a value are left out."""
    return Call(
        method="GET",
        path=path,
        credentials=credentials,
        params=cleaned(params),
        is_repeatable=True,
        parse=lambda answer: answer,
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
        parse=lambda answer: answer,
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
        parse=lambda answer: answer,
    )


def cleaned(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without None, with times as text.

    >>> from datetime import UTC
    >>> cleaned({"a": None, "b": False, "at": datetime(2026, 11, 20, tzinfo=UTC)})
    {'b': False, 'at': '2026-11-20T00:00:00+00:00'}
    """
    return {name: as_text(value) for name, value in values.items() if value is not None}


def as_text(value: Any) -> Any:
    """Return a time as ISO 8601 and other values unchanged. A time without a zone is local time."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    return value.isoformat() if isinstance(value, date) else value
