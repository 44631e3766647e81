"""The page of one webhook, at the URL to which programs post. Source: docs/reference/running.md §9."""

from itertools import islice

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from config.encryption import DecryptionFailed
from config.rest.body import reads_body
from notifications.models import SandboxHook, SandboxHookCall
from notifications.models.sandbox_hook import MAX_DELAY_SECONDS
from notifications.sandbox import access, hooks, hooks_api
from notifications.sandbox.sight import Sight
from notifications.sandbox.views import INBOX_TITLE, frame

SHOWN, MOST_CHARACTERS = 50, 10_000  # calls, and characters of each body; the API returns the others


@reads_body
@csrf_exempt  # programs post here; the page itself changes nothing
def hook(request: HttpRequest, name: str) -> HttpResponse:
    """Show the page for GET, and keep any other request."""
    return _page(request, name=name) if request.method in {"GET", "HEAD"} else hooks_api.receive(request, name)


@access.page
def _page(request: HttpRequest, sight: Sight, name: str) -> HttpResponse:
    if not sight.is_whole:
        raise PermissionDenied
    found = get_object_or_404(SandboxHook, pk=name)
    calls = [call for call in islice(SandboxHookCall.objects.filter(hook=found).shown(), SHOWN) if _is_readable(call)]
    context = {
        **frame(request, f"Webhook {name}"),
        "page_above": (INBOX_TITLE, reverse("sandbox-inbox")),
        "hook": found,
        "url": hooks.url_of(name),
        "calls": calls,
        "longest": MAX_DELAY_SECONDS,
        "most_characters": MOST_CHARACTERS,
    }
    return render(request, "sandbox/hook.html", context)


@require_POST
@access.page
def change(request: HttpRequest, sight: Sight, name: str) -> HttpResponse:
    """Store how the hook answers. Values out of range become the nearest ones."""
    if not sight.is_whole:
        raise PermissionDenied
    found = get_object_or_404(SandboxHook, pk=name)
    found.status = _number(request, "status", 200, 599)
    found.delay_seconds = _number(request, "delay_seconds", 0, MAX_DELAY_SECONDS)
    found.save()
    return redirect("sandbox-hook", name=name)


def _number(request: HttpRequest, field: str, least: int, most: int) -> int:
    text = request.POST.get(field, "")
    return min(max(int(text) if text.isdecimal() and len(text) < 9 else least, least), most)


def _is_readable(call: SandboxHookCall) -> bool:
    try:
        return call.content is not None
    except DecryptionFailed:
        return False
