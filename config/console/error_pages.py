"""The console's error pages.

Source: docs/reference/console.md §1.4.
"""

from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.template.loader import render_to_string

from config.rest.request import is_below

_PLACES = ("/admin/",)
_TITLES = {
    400: "This request is not valid",
    403: "You do not have permission",
    404: "Page not found",
    413: "The upload is too large",
    503: "Signalbox is not available",
}
_BROKEN = 500


def is_console(request: HttpRequest) -> bool:
    return is_below(request.path_info, _PLACES)


def page(request: HttpRequest, code: int, message: str, quote: str) -> str:
    """Return the error page. quote: the request id, which users quote to support."""
    site = admin.site
    if code >= _BROKEN:  # the database may be down, so query neither the user nor the navigation
        site = admin.site.__class__(admin.site.name)
    if code >= _BROKEN or not hasattr(request, "user"):  # a wrong Host is rejected before the authentication middleware
        request.user = AnonymousUser()
    frame = site.each_context(request)
    frame |= {"title": _TITLES.get(code, "Something went wrong"), "code": code, "message": message, "quote": quote}
    is_inside = code < _BROKEN and admin.site.has_permission(request)
    return render_to_string("admin/error.html" if is_inside else "admin/error_small.html", frame, request)
