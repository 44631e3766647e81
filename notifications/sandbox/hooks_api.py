"""The URLs of webhooks, and their API: settings, stored calls and repeats. Source: docs/reference/running.md §9."""

import re
import time
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config.encryption import DecryptionFailed
from config.rest import body, handler
from config.rest.body import UnreadableBody
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


def receive(request: HttpRequest, name: str) -> HttpResponse:
    """Store the request and answer as the hook wants. A program with access creates a hook by its first call."""
    if not has_inbox():
        raise Http404
    hook = SandboxHook.objects.filter(pk=name).first()
    if hook is None:
        if not _may_create(request):
            raise PermissionDenied
        try:
            hook = _created(name)
        except SandboxParameterInvalid as error:
            return handler.answer(request, error)
    try:
        content = body.read(request.META, max_bytes=MAX_BYTES, chunked=True)
    except UnreadableBody:
        return HttpResponse(status=413)
    hooks.keep(hook, request, content)
    time.sleep(hook.delay_seconds)
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
    found = waiting.until(lambda: list(rows.newest()), waiting.seconds(request))
    return JsonResponse({"calls": [_as_json(call) for call in found]})


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
        content = HookContent(headers={}, body="")
    return {
        "id": str(call.pk),
        "method": call.method,
        "headers": content.headers,
        "body": content.body,
        "signature": call.signature,
        "status": call.status,
        "received_at": write_moment(call.received_at),
    }
