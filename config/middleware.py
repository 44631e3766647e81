"""What every request passes: an id of ours, its log line, one leading slash, no plain http, and the headers.

And where the ways part: what is for pages alone, sessions, sign-in and the like, is not for calls of the APIs.
Source: Security and reliability §4, §8; Developer experience §14.
"""

import re
import time
import uuid
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponseBase

from config import envelopes, figures

GetResponse = Callable[[HttpRequest], HttpResponseBase]

API_POLICY = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-src 'self'; "
    "frame-ancestors 'none'"
)
# The theme's Alpine evaluates attributes and sets styles: it needs the two 'unsafe' words. Source: Security §4.
THEME_POLICY = PAGE_POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
NO_FEATURES = "camera=(), display-capture=(), fullscreen=(), geolocation=(), microphone=(), payment=(), usb=()"
_THEMED = re.compile(r"\A/(admin|sandbox)(/|\Z)")
_STATIC = re.compile(r"\A/static/")
_HEALTH = re.compile(r"\A/(_status|metrics)(/|\Z)")
_APIS = (*envelopes.SENDING_PATHS, *envelopes.DATA_PATHS)
_WITH_SECRETS = (*_APIS, "/metrics/", "/_status/deep/")  # calls that carry a key or a token

_USE_HTTPS = envelopes.Words(
    kind="AuthError",
    message="Error: use https",
    slug="use-https",
    data_message="Use https.",
    data_slug="data-use-https",
)

log = structlog.get_logger()


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


def request_line(get_response: GetResponse) -> GetResponse:
    """Write one line for each request.

    `service_id`, `key_id` or `data_set` are on it where an area's view has bound them by `bind_contextvars`.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        length = request.META.get("CONTENT_LENGTH") or ""
        seconds = time.perf_counter() - started
        area, route = _area(request.path_info), f"/{match.route.removeprefix('^')}" if match else "none"
        figures.REQUESTS.add(area, route, str(response.status_code), seconds=seconds)
        (log.debug if _HEALTH.match(request.path_info) else log.info)(
            "request",
            area=area,
            method=request.method if request.method in _METHODS else "other",
            route=route,
            status=response.status_code,
            ms=round(seconds * 1000, 1),
            bytes_in=int(length) if length.isdecimal() else 0,
            client=request.META.get("HTTP_USER_AGENT", "")[:80],
        )
        return response

    return middleware


_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def _area(path: str) -> str:
    if envelopes.is_below(path, envelopes.DATA_PATHS):
        return "datasets"
    if envelopes.is_below(path, envelopes.SENDING_PATHS):
        return "notifications"
    return "pages"


def fold_leading_slashes(get_response: GetResponse) -> GetResponse:
    """Read `//v2/…` as `/v2/…`: some clients join a base address that ends in a slash."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith("//"):
            request.path_info = "/" + request.path_info.lstrip("/")
            request.path = request.path_info
        return get_response(request)

    return middleware


def refuse_plain_http(get_response: GetResponse) -> GetResponse:
    """Answer 403 to a call over plain http that may carry a key or a token, before its headers are read.

    A redirect would hide from the caller that it has just crossed the net in clear.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if (
            settings.SECURE_SSL_REDIRECT
            and not request.is_secure()
            and envelopes.is_below(request.path_info, _WITH_SECRETS)
        ):
            return envelopes.refusal(request, 403, _USE_HTTPS)
        return get_response(request)

    return middleware


def headers(get_response: GetResponse) -> GetResponse:
    """Set the headers of the place, where a view has not said otherwise."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        page_policy = THEME_POLICY if _THEMED.match(request.path_info) else PAGE_POLICY
        response.headers.setdefault("Content-Security-Policy", page_policy if is_page else API_POLICY)
        if not _STATIC.match(request.path_info):
            response.headers.setdefault("Cache-Control", "no-store")
        if is_page:
            response.headers.setdefault("Permissions-Policy", NO_FEATURES)
        return response

    return middleware


def apis_apart(get_response: GetResponse) -> GetResponse:
    """Take a call of the APIs past the middleware below, straight to its view.

    What stands there is for people: cookies, sessions, sign-in. It did nothing for a call but cost a tenth of it.
    """
    handler: Any = _Straight()  # Any: what is used of it is untyped
    straight: Any = convert_exception_to_response(handler._get_response)

    def middleware(request: HttpRequest) -> HttpResponseBase:
        apart = envelopes.is_below(request.path_info, _APIS)
        answer: HttpResponseBase = straight(request) if apart else get_response(request)
        return answer

    return middleware


class _Straight(BaseHandler):
    """Django's handler without any middleware: it finds the view and calls it."""

    _view_middleware = ()
    _template_response_middleware = ()
    _exception_middleware = ()
