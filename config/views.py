"""Is the service alive, and is it ready? And the answers that belong to no view.

Source: Developer experience §13; Data Set Write API contract §18.
"""

import sys

import structlog
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.views.decorators.csrf import csrf_exempt

from config import envelopes, outage, readiness
from config.console import error_pages
from config.envelopes import Words

RETRY_AFTER_SECONDS = 5
_API_PATHS = (*envelopes.SENDING_PATHS, *envelopes.DATA_PATHS, "/_status/")

log = structlog.get_logger()


def front(request: HttpRequest) -> HttpResponse:
    """Show the way to the pages that are there."""
    return render(request, "front.html", {"places": [place for place in _PLACES if _exists(place["address"])]})


@csrf_exempt  # a wrong method is answered 405, not with a page about forms
def status(request: HttpRequest) -> JsonResponse:
    """Say that the process lives; touches nothing, no database either."""
    return refuse_method(request) or JsonResponse({"status": "ok", "message": "app is up"}, headers=_NEVER_KEPT)


@csrf_exempt
def ready(request: HttpRequest) -> JsonResponse:
    """Say whether requests can be served, and if not, what is missing."""
    refused = refuse_method(request)
    if refused:
        return refused
    failed = readiness.failures()
    if failed:
        body = {"status": "error", "message": f"not ready: {', '.join(failed)}", "failed": failed}
        return JsonResponse(body, status=503, headers=_NEVER_KEPT)
    return JsonResponse({"status": "ok", "message": "app is ready"}, headers=_NEVER_KEPT)


def refuse_method(request: HttpRequest) -> JsonResponse | None:
    """Answer 405 to anything but reading, in the shape of the health pages."""
    if request.method in _READING:
        return None
    refusal = JsonResponse({"status": "error", "message": "This method is not allowed here."}, status=405)
    refusal["Allow"] = ", ".join(_READING)
    return refusal


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _answer(request, 400, envelopes.NOT_UNDERSTOOD)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _answer(request, 403, _FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _answer(request, 404, _NOTHING_HERE)


def too_large(request: HttpRequest, max_bytes: int) -> HttpResponseBase:
    words = Words(
        kind="PayloadTooLarge",
        message=f"The request body is larger than {max_bytes} bytes",
        slug="request-too-large",
        data_message=f"What you sent is larger than {max_bytes // 2**20} MiB. Send less at a time.",
        data_slug="data-too-large",
    )
    return _answer(request, 413, words)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Write the trace once, and tell the caller nothing but whether to come back."""
    error = sys.exception()
    if _TOLD not in request.META:  # what has failed in a view may fail once more in a middleware, on the way out
        request.META[_TOLD] = True
        log.error("request.failed", exc_info=error)
    if outage.is_database_away(error):
        answer = _answer(request, 503, _BUSY)
        answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return answer
    return _answer(request, 500, _FAILED)


_PLACES = (
    {"address": "/admin/", "name": "Console", "what": "Services, templates, keys and data sets"},
    {"address": "/docs/", "name": "API documentation", "what": "Every call, and every error with its fix"},
    {"address": "/sandbox/", "name": "Sandbox", "what": "Test messages, which were not really sent"},
)
_FORBIDDEN = Words(
    kind="AuthError",
    message="This page is not for your account",
    slug="api-key-not-found",
    data_message="This page is not for your account.",
    data_slug="data-token-of-another",
)
_NOTHING_HERE = Words(
    kind="NotFound",
    message="The requested URL was not found on the server",
    slug="url-not-found",
    data_message="There is nothing at this address.",
    data_slug="data-nothing-here",
)
_BUSY = Words(
    kind="Exception",
    message="Service unavailable",
    slug="service-unavailable",
    data_message="The service is busy; try again.",
    data_slug="data-busy",
)
_FAILED = Words(
    kind="Exception",
    message="Internal server error",
    slug="internal-server-error",
    data_message="The service failed to answer this request.",
    data_slug="data-failure",
)
_TOLD = "signalbox.failure_told"
_NEVER_KEPT = {"Cache-Control": "no-store"}
_READING = ("GET", "HEAD", "OPTIONS")


def _exists(address: str) -> bool:
    try:
        resolve(address)
    except Resolver404:
        return False
    return True


def _answer(request: HttpRequest, code: int, words: Words) -> HttpResponseBase:
    if envelopes.is_below(request.path_info, _API_PATHS) or _wants_json(request):
        return envelopes.refusal(request, code, words)
    message = words.data_message
    quote = structlog.contextvars.get_contextvars().get("request_id", "")
    if error_pages.is_ours(request):
        try:
            return HttpResponse(error_pages.page(request, code, message, quote), status=code)
        except Exception:  # what has failed may be what this page is made with: say it without
            log.exception("request.error_page_failed")
    # Without the request: who is signed in would be asked of a database that may just have failed.
    page = render_to_string("errors/page.html", {"code": code, "message": message, "quote": quote})
    return HttpResponse(page, status=code)


def _wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"
