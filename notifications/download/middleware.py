"""The headers of the recipient's pages, and their URLs on a separate host.

Source: docs/reference/files.md §9.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

GetResponse = Callable[[HttpRequest], HttpResponseBase]

HEADERS = {
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}
OWN_URLS = "notifications.download.host_urls"
_PAGES = re.compile(r"\A/(?:d(?:/|\Z)|services/|robots\.txt\Z)")


def recipients_pages(get_response: GetResponse) -> GetResponse:
    """Set the default headers, also on error pages, because their URLs contain a key, too."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        is_own_host = _is_own_host(request)
        if is_own_host:
            request.urlconf = OWN_URLS  # Django's resolver reads this attribute
        response = get_response(request)
        if is_own_host or _PAGES.match(request.path_info):
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
        return response

    return middleware


def _is_own_host(request: HttpRequest) -> bool:
    """Return whether FILES_BASE_URL is a separate host and the request is for it."""
    files, own = _host(settings.FILES_BASE_URL), _host(settings.BASE_URL)
    return files != own and request.get_host().lower() == files.lower()


@lru_cache(maxsize=4)
def _host(url: str) -> str:
    return urlsplit(url).netloc
