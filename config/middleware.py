"""What every request passes: an id of ours, one leading slash, and a content security policy."""

import re
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponseBase

GetResponse = Callable[[HttpRequest], HttpResponseBase]

API_POLICY = "default-src 'none'; frame-ancestors 'none'"
# The theme's Alpine evaluates attributes and sets styles: it needs the two 'unsafe' words. Source: Security §4.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-src 'self'; "
    "frame-ancestors 'none'"
)
_PAGES = re.compile(r"\A/(admin|sandbox|docs|static)(/|\Z)")


def request_id(get_response: GetResponse) -> GetResponse:
    """Give each request an id made here; one sent by the caller is not looked at."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        identifier = str(uuid.uuid4())
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=identifier)
        response = get_response(request)
        response["X-Request-Id"] = identifier
        return response

    return middleware


def fold_leading_slashes(get_response: GetResponse) -> GetResponse:
    """Read `//v2/…` as `/v2/…`: some clients join a base address that ends in a slash."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith("//"):
            request.path_info = "/" + request.path_info.lstrip("/")
            request.path = request.path_info
        return get_response(request)

    return middleware


def content_security_policy(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if "Content-Security-Policy" not in response:
            response["Content-Security-Policy"] = PAGE_POLICY if _PAGES.match(request.path_info) else API_POLICY
        return response

    return middleware
