"""The page behind the link at the end of an email. Looking at it changes nothing: mail scanners follow links.

Source: Rendering §4.9; RFC 8058 §1, on why following a link must not unsubscribe.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from notifications.delivery import unsubscribing
from notifications.models import UnsubscribeRequest

SEE_OTHER = 303


@csrf_exempt  # whoever holds the signed link may press its button; a cookie would fail in mail programs' own browsers
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask on GET, keep the wish on POST, and say on every later visit that it is kept."""
    message = unsubscribing.message_of(token)
    if message is None:
        return _page(request, status=404, step="broken")
    if request.method == "POST":
        UnsubscribeRequest.objects.note(message)
        return HttpResponseRedirect(request.path, status=SEE_OTHER)
    kept = UnsubscribeRequest.objects.of(message).first()
    if kept is None:
        return _page(request, step="ask", sender=message.service.name)
    return _page(request, step="kept", sender=message.service.name, at=kept.at)


@csrf_exempt  # or a form sent by hand is answered with a page about forms instead of 405
@require_safe
def preview(request: HttpRequest) -> HttpResponse:
    """Show what recipients see: the link in a template's preview leads here."""
    return _page(request, step="preview", sender="Your service")


def _page(request: HttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:  # Any: what the template shows
    response = render(request, "download/unsubscribe.html", context, status=status)
    response.headers["Referrer-Policy"] = "no-referrer"  # the address is the proof, and no one else's business
    return response
