"""What the console says where a page is missing, forbidden or broken, in its own look. Source: Staff console §1.4."""

from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.template.loader import render_to_string

from config import envelopes

_PLACES = ("/admin/",)
_TITLES = {
    400: "Not understood",
    403: "Not for your account",
    404: "Nothing here",
    413: "Too large",
    503: "Not just now",
}
_BROKEN = 500


def is_ours(request: HttpRequest) -> bool:
    return envelopes.is_below(request.path_info, _PLACES)


def page(request: HttpRequest, code: int, message: str, quote: str) -> str:
    """Return the page; `quote` is the id of the request, for whoever is asked to look at it."""
    site = admin.site
    if code >= _BROKEN:  # the database may just have failed: no person is asked for, and no area for its pages
        site = admin.site.__class__(admin.site.name)
    if code >= _BROKEN or not hasattr(request, "user"):  # a wrong Host is refused before anybody is looked up
        request.user = AnonymousUser()
    frame = site.each_context(request)
    frame |= {"title": _TITLES.get(code, "Something went wrong"), "code": code, "message": message, "quote": quote}
    is_inside = code < _BROKEN and admin.site.has_permission(request)
    return render_to_string("admin/error.html" if is_inside else "admin/error_small.html", frame, request)
