"""The page of the unsubscribe link in an email. A GET changes nothing, because mail scanners follow links.

Source: RFC 8058 §1, on why following a link must not unsubscribe; §3.1 and §3.2, on the POST of mail programs.
"""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from notifications.models import Service
from notifications.submission.suppressions import unsubscribe_requests
from notifications.submission.suppressions.unsubscribe_requests import Subscription

SEE_OTHER = 303


@csrf_exempt  # the link authenticates the request; mail programs send no cookies
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask on GET, store the request on POST, and show on every later visit that it is stored."""
    found = unsubscribe_requests.find(token)
    if found is None:
        return _page(request, status=404, step="broken")
    with translation.override(found.service.page_language):
        return _answer(request, found)


def _answer(request: HttpRequest, found: Subscription) -> HttpResponse:
    if request.method == "POST":
        made = found.request or unsubscribe_requests.confirm(found.email)
        if request.POST.get("List-Unsubscribe") == "One-Click":  # from a mail program, which follows no redirect
            return stored(request, found.service, made.created_at)
        return HttpResponseRedirect(request.path, status=SEE_OTHER)
    if found.request is None:
        return _page(request, step="ask", sender=found.service.name)
    return stored(request, found.service, found.request.created_at)


@csrf_exempt  # without it, Django answers a POST with its CSRF page instead of 405
@require_safe
def preview(request: HttpRequest) -> HttpResponse:
    """Show the page that recipients see. The preview of a template links to it."""
    return _page(request, step="ask", sender="Your service", is_preview=True)


def ask(request: HttpRequest, service: Service) -> HttpResponse:
    """Return the preview of the question in the pages of a service."""
    return _page(request, step="ask", sender=service.name, is_preview=True)


def stored(request: HttpRequest, service: Service, at: datetime, *, is_preview: bool = False) -> HttpResponse:
    """Return the page of a request that was stored at `at`."""
    return _page(request, step="stored", sender=service.name, at=at, is_preview=is_preview)


def _page(request: HttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:  # Any: values for the template
    response = render(request, "download/unsubscribe.html", context, status=status)
    response.headers["Referrer-Policy"] = (
        "no-referrer"  # the URL authenticates the request, so no other site may see it
    )
    return response
