"""The page of the link that confirms a reply-to address. A GET changes nothing, because mail scanners follow links."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from notifications.delivery import reply_to_checks


@csrf_exempt  # the link authenticates the request
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest) -> HttpResponse:
    """Ask on GET, and confirm on POST."""
    token = request.GET.get("token", "")
    row = reply_to_checks.find(token)
    if row is None:
        return _page(request, status=404, step="over")
    if request.method != "POST":
        return _page(request, step="ask", sender=row.service.name, address=row.email_address)
    if not reply_to_checks.confirm_by_link(row):
        return _page(request, status=404, step="over")
    return _page(request, step="confirmed", sender=row.service.name, address=row.email_address)


def _page(request: HttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:  # Any: values for the template
    response = render(request, "download/reply_to.html", context, status=status)
    response.headers["Referrer-Policy"] = "no-referrer"  # the URL has the token
    response.headers["Cache-Control"] = "no-store"
    return response
