"""The webhook inspector: keep what is posted to a URL, check its signature, and repeat a call to a local program.

Source: docs/reference/running.md §9.
"""

import hmac
from collections.abc import Mapping
from datetime import UTC, datetime

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from config.encryption import DecryptionFailed
from config.outbound import http_client, targets
from config.outbound.http_client import Answer, CallFailed
from config.outbound.targets import UnsafeUrl
from config.rest.request import has_bearer_token
from notifications import errors
from notifications.delivery.callbacks import signatures
from notifications.models import CallbackEndpoint, HookContent, SandboxHook, SandboxHookCall, SignatureCheck

# They belong to the connection, or are set for the new one. Source: RFC 9110 §7.6.1.
_NOT_REPEATED = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect"}
    | {"accept-encoding", "user-agent"}
)
REPEAT_SECONDS = 5.0  # as for a callback


def url_of(name: str) -> str:
    return f"{settings.BASE_URL}/sandbox/hooks/{name}"


def keep(hook: SandboxHook, request: HttpRequest, body: bytes) -> None:
    """Store a request without credentials of this installation: cookies of its pages, and SANDBOX_TOKEN."""
    own = {"Cookie", "Authorization"} if has_bearer_token(request, settings.SANDBOX_TOKEN) else {"Cookie"}
    kept = {name: value for name, value in request.headers.items() if value and name not in own}
    content = HookContent.of(kept, body)
    SandboxHookCall.objects.store(hook, request.method or "", content, check(hook.name, request.headers, body))


def check(name: str, headers: Mapping[str, str], body: bytes) -> SignatureCheck:
    """Compare the signature with those of the callbacks that have the URL of this hook."""
    secrets = _secrets(name)
    if secrets is None:
        return SignatureCheck.UNKNOWN
    given = headers.get("webhook-signature", "")
    if not given:
        return SignatureCheck.MISSING
    try:
        at = datetime.fromtimestamp(int(headers.get("webhook-timestamp", "")), UTC)
    except (ValueError, OverflowError, OSError):
        return SignatureCheck.WRONG
    webhook_id = headers.get("webhook-id", "")
    expected = [signatures.headers(webhook_id, body, [secret], at)["webhook-signature"] for secret in secrets]
    pairs = ((one.encode(), right.encode()) for one in given.split(" ") for right in expected)
    return SignatureCheck.RIGHT if any(hmac.compare_digest(*pair) for pair in pairs) else SignatureCheck.WRONG


def repeat(call: SandboxHookCall, url: str) -> Answer:
    """Post a stored call to a local program, with its headers. Raises SandboxHookUnreachable."""
    try:
        if not targets.is_local(targets.parse(url)):
            raise UnsafeUrl
        content = call.content
        headers = {name: value for name, value in content.headers.items() if name.lower() not in _NOT_REPEATED}
        return http_client.post(url, content.sent, headers, seconds=REPEAT_SECONDS)
    except UnsafeUrl as error:
        reason = "the URL must be that of a local program, such as http://127.0.0.1:5000/"
        raise errors.SandboxHookUnreachable(reason=reason) from error
    except CallFailed as error:
        raise errors.SandboxHookUnreachable(reason=str(error)) from error
    except DecryptionFailed as error:
        raise errors.SandboxHookUnreachable(reason="FIELD_KEYS cannot decrypt it") from error


def _secrets(name: str) -> list[str] | None:
    """Return the signing secrets of the callbacks to this hook, or None if none of them signs."""
    endpoints = CallbackEndpoint.objects.filter(url=url_of(name))
    found = [secret for endpoint in endpoints for secret in endpoint.signing_secrets(timezone.now())]
    return found or None
