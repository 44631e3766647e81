"""Read the JSON bodies of the sandbox API. Each wrong value raises SandboxParameterInvalid, which names it."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.http import HttpRequest

from config.rest import body as body_stream
from config.rest import strict_json
from config.rest.body import BodyReason, UnreadableBody
from notifications import errors
from notifications.errors import SandboxParameterInvalid

MAX_BODY_BYTES = 64 * 1024


def read_object(request: HttpRequest, allowed: Iterable[str]) -> dict[str, Any]:
    """Return the body, a JSON object with no other names. An empty body is an empty object."""
    content = read_body(request, MAX_BODY_BYTES)
    if not content:
        return {}
    if request.content_type != "application/json":  # another site's page cannot send this type without a preflight
        raise SandboxParameterInvalid(name="Content-Type", rule="be application/json")
    try:
        found = strict_json.loads(content, skip_mark=False, storable=True)
    except strict_json.UnreadableJSON as error:
        raise SandboxParameterInvalid(name="The body", rule="be valid JSON") from error
    if not isinstance(found, dict):
        raise SandboxParameterInvalid(name="The body", rule="be a JSON object")
    for name in found.keys() - set(allowed):
        raise SandboxParameterInvalid(name=name[:50], rule=f"be left out. The names are {', '.join(allowed)}")
    return {name: value for name, value in found.items() if value is not None}


def read_body(request: HttpRequest, max_bytes: int) -> bytes:
    """Return the body as sent. Raises PayloadTooLarge or RequestNotUnderstood."""
    try:
        return body_stream.read(request.META, max_bytes=max_bytes, chunked=True)
    except UnreadableBody as error:
        if error.reason is BodyReason.TOO_LARGE:
            raise errors.PayloadTooLarge(max_bytes=max_bytes) from error
        raise errors.RequestNotUnderstood from error


def text(body: dict[str, Any], name: str, *, most: int) -> str:
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise SandboxParameterInvalid(name=name, rule=f"be a string of at most {most} characters")
    return value


def number(body: dict[str, Any], name: str, *, most: int, least: int = 0, default: int = 0) -> int:
    value = body.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SandboxParameterInvalid(name=name, rule=f"be a whole number from {least} to {most}")
    return value


def identifier(body: dict[str, Any], name: str) -> UUID | None:
    value = body.get(name)
    if value is None:
        return None
    try:
        return UUID(value)
    except (ValueError, AttributeError, TypeError) as error:
        raise SandboxParameterInvalid(name=name, rule="be an id") from error
