"""The front page, and the error pages of the whole service.

Source: docs/reference/data-sets.md §18.
"""

import sys

import structlog
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve

from config.console import error_pages
from config.databases import outage
from config.rest import handler
from config.rest.api_errors import ApiError, DataError
from config.rest.request import API_PATHS, is_below

RETRY_AFTER_SECONDS = 5
_JSON_PATHS = (*API_PATHS, "/_status/")

log = structlog.get_logger()


def front(request: HttpRequest) -> HttpResponse:
    """Show links to the pages that are installed."""
    return render(request, "front.html", {"places": [place for place in _PLACES if _exists(place["url"])]})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _answer(request, handler.NOT_UNDERSTOOD.at(request.path_info))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _answer(request, PageForbidden())


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _answer(request, handler.NOT_FOUND.at(request.path_info))


def too_large(request: HttpRequest, max_bytes: int) -> HttpResponseBase:
    return _answer(request, PageTooLarge(mebibytes=max_bytes // 2**20))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Log the exception once. The answer has no details, only whether to try again."""
    error = sys.exception()
    if _LOGGED not in request.META:  # an error in a view may cause another one in a middleware
        request.META[_LOGGED] = True
        log.error("request.failed", exc_info=error)
    if outage.is_database_away(error):
        answer = _answer(request, handler.BUSY.at(request.path_info))
        answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return answer
    return _answer(request, handler.FAILED.at(request.path_info))


_PLACES = (
    {"url": "/admin/", "name": "Console", "what": "Services, templates, keys and data sets"},
    {"url": "/docs/", "name": "API documentation", "what": "All operations and errors"},
    {"url": "/sandbox/", "name": "Sandbox", "what": "Test messages, which were not really sent"},
)


class PageForbidden(DataError):
    status = 403
    text = "This page is not for your account."


class PageTooLarge(DataError):
    status = 413
    text = "The request is larger than {mebibytes} MiB. Send less at a time."


_LOGGED = "signalbox.failure_logged"


def _exists(url: str) -> bool:
    try:
        resolve(url)
    except Resolver404:
        return False
    return True


def _answer(request: HttpRequest, error: ApiError) -> HttpResponseBase:
    wanted = request.get_preferred_type(["text/html", "application/json"])
    if is_below(request.path_info, _JSON_PATHS) or wanted == "application/json":
        return handler.answer(request, error)
    code, message = error.status, error.message
    quote = structlog.contextvars.get_contextvars().get("request_id", "")
    if error_pages.is_console(request):
        try:
            return HttpResponse(error_pages.page(request, code, message, quote), status=code)
        except Exception:  # the page may need what has failed, so return the simple page
            log.exception("request.error_page_failed")
    # Without the request, because looking up the user needs the database, which may have failed.
    page = render_to_string("errors/page.html", {"code": code, "message": message, "quote": quote})
    return HttpResponse(page, status=code)
