"""The one error handler of both APIs: it turns an exception into an answer that links to the error's documentation.

A body has the help only if the caller asks for HELPFUL, because clients compare whole bodies.
Source: docs/reference/data-sets.md §10; docs/reference/running.md §11; RFC 8288 for `Link`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, JsonResponse
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response

from config.databases import outage
from config.metrics import registry
from config.rest import shared_errors
from config.rest.api_errors import ApiError, DataError, SendingError
from config.rest.body import UnreadableBody
from config.rest.request import API_PATHS, ENVELOPE_PATHS, base_url, is_below
from config.rest.strict_json import UnreadableJSON

HELPFUL = "application/vnd.signalbox+json"
COMPACT: dict[str, Any] = {"separators": (",", ":")}  # Any: arguments of `json.dumps`

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ErrorByPath:
    """The same error of both APIs. Paths of neither API get the body shape of the data set API."""

    sending: type[SendingError]
    data: type[DataError]

    def at(self, path: str) -> ApiError:
        return self.sending() if is_below(path, ENVELOPE_PATHS) else self.data()


NOT_UNDERSTOOD = ErrorByPath(shared_errors.RequestNotUnderstood, shared_errors.DataRequestNotUnderstood)
USE_HTTPS = ErrorByPath(shared_errors.UseHttps, shared_errors.DataUseHttps)
NOT_FOUND = ErrorByPath(shared_errors.UrlNotFound, shared_errors.NothingHere)
FAILED = ErrorByPath(shared_errors.InternalError, shared_errors.DataInternalError)
BUSY = ErrorByPath(shared_errors.Unavailable, shared_errors.Busy)


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaErrors:
    """The errors with which an API answers exceptions of the framework and of shared code.

    unreadable:       errors by the reason why the body, or its JSON, is refused
    other_unreadable: the error for all other reasons
    max_bytes:        the size limit of a body, as the errors state it
    """

    unreadable: Mapping[StrEnum, type[ApiError]]
    other_unreadable: type[ApiError]
    max_bytes: Callable[[], int]
    not_understood: type[ApiError]
    busy: type[ApiError]
    failed: type[ApiError]
    method_not_allowed: type[ApiError]

    def explain(self, error: Exception) -> ApiError:
        """Return the API error for an exception."""
        if isinstance(error, ApiError):
            return error
        if isinstance(error, UnreadableBody | UnreadableJSON):
            place = getattr(error, "place", "")
            kind = self.unreadable.get(error.reason, self.other_unreadable)
            return kind(max_bytes=self.max_bytes(), place=f": {place}" if place else "")
        if isinstance(error, MethodNotAllowed):
            return self.method_not_allowed()
        if isinstance(error, SuspiciousOperation):  # Django refuses more than 1,000 parameters
            return self.not_understood()
        return self.busy() if outage.is_database_away(error) else self.failed()


def handle(error: Exception, context: Mapping[str, Any]) -> Response:
    """Return the response to an exception of a view that has an attribute `errors`."""
    request: Request = context["request"]
    answered = context["view"].errors.explain(error)
    if answered.status == 503:
        log.error("request.database_away", error=type(error).__name__)
    elif answered.status >= 500:
        log.error("request.failed", exc_info=error)
    if answered.limit:
        registry.LIMITED_REQUESTS.add(answered.limit)
    request.api_error = _without_frames(answered)  # type: ignore[attr-defined]  # the view counts it
    body = answered.body(_docs_url(request))
    return Response(body, status=answered.status, headers={**answered.headers(), **_link(answered)})


def _without_frames(error: ApiError) -> ApiError:
    """Remove the references of the error to the frames that raised it.

    The request refers to the error and the frames to the request, so a body of 64 MiB would stay in memory until
    garbage is collected.
    """
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def answer(request: HttpRequest, error: ApiError) -> JsonResponse:
    """Return the response to a request that reaches no view of Django REST framework."""
    headers = {**error.headers(), "X-Content-Type-Options": "nosniff"}  # some are answered before the middleware
    if is_below(request.path_info, API_PATHS):
        headers |= _link(error)
    body = error.body(_docs_url(request))
    return JsonResponse(body, status=error.status, headers=headers, json_dumps_params=COMPACT)


def help_link(error: ApiError) -> str:
    """Return the value of the header `Link`."""
    return f'<{settings.BASE_URL}/docs/#{error.anchor}>; rel="help"'


def _link(error: ApiError) -> dict[str, str]:
    return {"Link": help_link(error)} if error.slug else {}


def _docs_url(request: HttpRequest | Request) -> str:
    """Return the URL of the documentation if `Accept` names HELPFUL, else a blank text."""
    accepted = request.META.get("HTTP_ACCEPT", "").split(",")
    is_wanted = any(one.partition(";")[0].strip().lower() == HELPFUL for one in accepted)
    return f"{base_url(request)}/docs/" if is_wanted else ""
