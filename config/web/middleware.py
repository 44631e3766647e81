"""The middleware of every request: its id, its log line, its leading slash, the check for https and security headers.

`apis_apart` then lets API requests skip the middleware that only pages need, such as sessions and sign-in.
Source: docs/reference/security.md §4, §8; docs/reference/running.md §14.
"""

import re
import time
import uuid
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponseBase
from django.urls import resolve

from config.metrics import registry
from config.rest import handler
from config.rest.request import DATA_PATHS, SENDING_PATHS, is_below
from config.telemetry import traces

GetResponse = Callable[[HttpRequest], HttpResponseBase]

API_POLICY = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-src 'self'; "
    "frame-ancestors 'none'"
)
# Alpine, which the theme uses, evaluates attributes and sets styles, so it needs the two 'unsafe' sources.
# Source: docs/reference/security.md §4.
THEME_POLICY = PAGE_POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
NO_FEATURES = "camera=(), display-capture=(), fullscreen=(), geolocation=(), microphone=(), payment=(), usb=()"
_THEMED = re.compile(r"\A/(admin|sandbox)(/|\Z)")
_STATIC = re.compile(r"\A/static/")
_HEALTH = re.compile(r"\A/(_status|metrics)(/|\Z)")
_APIS = (*SENDING_PATHS, *DATA_PATHS)
_WITH_SECRETS = (*_APIS, "/metrics/", "/_status/deep/")  # requests that carry a key or a token

log = structlog.get_logger()


def request_id(get_response: GetResponse) -> GetResponse:
    """Give each request a new id. An id that the caller sends is ignored."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        identifier = str(uuid.uuid4())
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=identifier)
        response = get_response(request)
        response["X-Request-Id"] = identifier
        return response

    return middleware


def request_line(get_response: GetResponse) -> GetResponse:
    """Log each request once, and measure its duration.

    The line has `service_id`, `key_id` or `data_set` if the view has bound them with `bind_contextvars`.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        length = request.META.get("CONTENT_LENGTH") or ""
        seconds = time.perf_counter() - started
        area, route = _area(request.path_info), f"/{match.route.removeprefix('^')}" if match else "none"
        registry.REQUESTS.observe(area, route, str(response.status_code), seconds=seconds)
        if traces.recorders and not _HEALTH.match(request.path_info):
            _trace(request, area, route, response.status_code, seconds)
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


def _trace(request: HttpRequest, area: str, route: str, status: int, seconds: float) -> None:
    method = request.method if request.method in _METHODS else "other"
    http: dict[str, traces.Attribute] = {"http.request.method": method, "http.response.status_code": status}
    attributes = {"http.route": route, "area": area, **http}
    identifier = structlog.contextvars.get_contextvars()["request_id"]
    traces.record(f"{method} {route}", identifier, attributes, seconds=seconds, is_root=True)


_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def _area(path: str) -> str:
    if is_below(path, SENDING_PATHS):
        return "notifications"
    if is_below(path, DATA_PATHS):
        return "datasets"
    return "pages"


def fold_leading_slashes(get_response: GetResponse) -> GetResponse:
    """Read `//v2/…` as `/v2/…`, because some clients use a base URL that ends with a slash."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith("//"):
            request.path_info = "/" + request.path_info.lstrip("/")
            request.path = request.path_info
        return get_response(request)

    return middleware


def refuse_plain_http(get_response: GetResponse) -> GetResponse:
    """Respond with 403 to a request over plain http that may carry a key or a token.

    A redirect would hide from the caller that the key has been sent unencrypted.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if settings.SECURE_SSL_REDIRECT and not request.is_secure() and is_below(request.path_info, _WITH_SECRETS):
            return handler.answer(request, handler.USE_HTTPS.at(request.path_info))
        return get_response(request)

    return middleware


def headers(get_response: GetResponse) -> GetResponse:
    """Set the security headers that the view has not set."""

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
    """Let API requests skip the middleware that follows: cookies, sessions and sign-in.

    API requests do not need it, and it took a tenth of their time.
    """
    straight: Any = convert_exception_to_response(_call_view)  # Any: untyped in Django

    def middleware(request: HttpRequest) -> HttpResponseBase:
        apart = is_below(request.path_info, _APIS)
        answer: HttpResponseBase = straight(request) if apart else get_response(request)
        return answer

    return middleware


def _call_view(request: HttpRequest) -> HttpResponseBase:
    """Resolve the view and call it, as Django does between its middleware and the view."""
    urlconf = getattr(request, "urlconf", None)  # that of the host for files
    match = request.resolver_match = resolve(request.path_info, urlconf)
    response: Any = match.func(request, *match.args, **match.kwargs)  # Any: a response of any kind
    answer: HttpResponseBase = response.render() if hasattr(response, "render") else response
    return answer
