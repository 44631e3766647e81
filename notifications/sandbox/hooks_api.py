"""The URLs of webhooks, and their API: settings, stored calls and repeats. Source: docs/reference/running.md §9."""

import re
import threading
import time
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config.encryption import DecryptionFailed
from config.rest import handler
from config.rest.content import write_moment
from config.rest.request import has_bearer_token
from config.web.ip_addresses import is_local
from notifications import errors
from notifications.errors import SandboxParameterInvalid
from notifications.models import HookContent, SandboxHook, SandboxHookCall
from notifications.models.sandbox_hook import MAX_DELAY_SECONDS, MOST_HOOKS
from notifications.models.sandbox_message import has_inbox
from notifications.sandbox import access, hooks, parameters, waiting

MAX_BYTES = 1024 * 1024
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_TEXT_SHOWN = 4096
_KEPT = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_WAITING = threading.BoundedSemaphore(4)  # half of the threads of a web process, because strangers call hooks


def receive(request: HttpRequest, name: str) -> HttpResponse:
    """Store the request and answer as the hook wants. A program with access creates a hook by its first call."""
    if not has_inbox():
        raise Http404
    if request.method not in _KEPT:
        return handler.answer(request, errors.MethodNotAllowed(allowed=["GET", *_KEPT]))
    try:
        hook = _called(request, name)
        hooks.keep(hook, request, parameters.read_body(request, MAX_BYTES))
    except errors.NotificationError as error:
        return handler.answer(request, error)
    _wait(hook.delay_seconds)
    return HttpResponse(status=hook.status)


@csrf_exempt
@access.operators("GET", "PUT", "DELETE")
def hook(request: HttpRequest, name: str) -> HttpResponse:
    """Show, create or change, or delete one hook."""
    found = SandboxHook.objects.filter(pk=name).first()
    if request.method == "PUT":
        given = parameters.read_object(request, ("status", "delay_seconds"))
        found = found or _created(name)
        found.status = parameters.number(given, "status", least=200, most=599, default=200)
        found.delay_seconds = parameters.number(given, "delay_seconds", most=MAX_DELAY_SECONDS)
        found.save()
    if found is None:
        return handler.answer(request, errors.NoResultFound())
    if request.method == "DELETE":
        found.delete()
        return HttpResponse(status=204)
    return JsonResponse(
        {"name": name, "url": hooks.url_of(name), "status": found.status, "delay_seconds": found.delay_seconds}
    )


@csrf_exempt
@access.operators("GET", "DELETE")
def calls(request: HttpRequest, name: str) -> HttpResponse:
    """List the calls of a hook, newest first, or delete all. `wait` waits for the first one."""
    rows = SandboxHookCall.objects.filter(hook=name)
    if request.method == "DELETE":
        rows.delete()
        return HttpResponse(status=204)
    waiting.until(lambda: list(rows.values_list("pk")[:1]), waiting.seconds(request))
    return JsonResponse({"calls": [_as_json(call) for call in rows.shown()]})


@csrf_exempt
@access.operators("POST")
def repeat(request: HttpRequest, name: str, call_id: UUID) -> HttpResponse:
    """Post a stored call to the URL of a local program, and return the program's response."""
    call = SandboxHookCall.objects.filter(hook=name, pk=call_id).first()
    if call is None:
        return handler.answer(request, errors.NoResultFound())
    url = parameters.text(parameters.read_object(request, ("url",)), "url", most=2000)
    answer = hooks.repeat(call, url)
    return JsonResponse({"status": answer.status, "body": answer.body[:_TEXT_SHOWN].decode(errors="replace")})


def _called(request: HttpRequest, name: str) -> SandboxHook:
    found = SandboxHook.objects.filter(pk=name).first() if _NAME.fullmatch(name) else None
    if found is None and not _may_create(request):
        raise errors.SandboxOperatorsAlone
    return found or _created(name)


def _wait(seconds: int) -> None:
    """Wait before an answer, unless so many others of this process wait that pages and APIs would have no thread."""
    if seconds and _WAITING.acquire(blocking=False):
        try:
            time.sleep(seconds)
        finally:
            _WAITING.release()


def _may_create(request: HttpRequest) -> bool:
    """Return whether a program on this machine or one with SANDBOX_TOKEN calls. A page of another site must not."""
    is_program = "Origin" not in request.headers and "Sec-Fetch-Site" not in request.headers
    return has_bearer_token(request, settings.SANDBOX_TOKEN) or (is_program and is_local(request))


def _created(name: str) -> SandboxHook:
    if not _NAME.fullmatch(name):
        raise SandboxParameterInvalid(name="The name", rule="have 1 to 60 of a-z, 0-9 and -")
    if SandboxHook.objects.count() >= MOST_HOOKS:
        raise SandboxParameterInvalid(name="The webhooks", rule=f"be at most {MOST_HOOKS}. Delete some first")
    return SandboxHook.objects.get_or_create(pk=name)[0]


def _as_json(call: SandboxHookCall) -> dict[str, Any]:
    try:
        content = call.content
    except DecryptionFailed:
        content = HookContent.of({}, b"")
    return {
        "id": str(call.pk),
        "method": call.method,
        "headers": content.headers,
        "body": content.body,
        "encoding": "utf-8" if content.is_text else "base64",
        "signature": call.signature,
        "status": call.status,
        "received_at": write_moment(call.received_at),
    }
