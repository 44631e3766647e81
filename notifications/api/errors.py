"""The one handler of this area: every refusal in the envelope, with the status of its kind.

Source: Notification Sending API §7; the sending contract §2.2; Developer experience §11.
"""

from collections.abc import Mapping
from typing import Any

import structlog
from django.core.exceptions import SuspiciousOperation
from rest_framework.response import Response

from config import envelopes, figures, outage
from config.rest import strict_json
from config.rest.body import BodyRefused, Reason
from config.rest.strict_json import JSONRefused
from notifications import errors, problems
from notifications.api import links
from notifications.api.parsers import NotificationJSONParser
from notifications.submission.key_usage import Refusal

STATUS_BY_KIND: Mapping[str, int] = {
    "BadRequestError": 400,
    "ValidationError": 400,
    "AuthError": 403,
    "NotFound": 404,
    "NoResultFound": 404,
    "MethodNotAllowed": 405,
    "IdempotencyKeyInUse": 409,
    "LengthRequired": 411,
    "PayloadTooLarge": 413,
    "UnsupportedMediaType": 415,
    "IdempotencyKeyReused": 422,
    "RateLimitError": 429,
    "TooManyRequestsError": 429,
    "Exception": 500,
}
STATUS_BY_CLASS: Mapping[type[errors.NotificationError], int] = {errors.Unavailable: 503}

SECONDS_WORTH_TELLING = 10**9  # a clock that is further off is no clock

_TOO_MANY_VALUES = "The request body has more values than one request may hold"

log = structlog.get_logger()


def handle(error: Exception, context: Mapping[str, Any]) -> Response:
    """Answer any exception of a view; set through REST framework's `get_exception_handler`."""
    refusal = refusal_for(error)
    if isinstance(refusal, errors.InternalError):
        log.error("request.failed", exc_info=error)
    elif isinstance(refusal, errors.Unavailable):
        log.error("request.database_away", error=type(error).__name__)
    elif isinstance(refusal, errors.RateLimited):
        figures.REFUSALS.add("requests a minute")
    elif isinstance(refusal, errors.DailyLimitReached):
        figures.REFUSALS.add(f"{refusal.limit_kind} a day")
    status = status_of(type(refusal))
    context["request"].refusal = _refusal(refusal, status)
    entries = [_entry(fault, context) for fault in refusal.faults]
    headers = _headers(refusal)
    if row := problems.find(next(iter(refusal.faults), refusal)):
        headers["Link"] = envelopes.help_link(row.slug)
    return Response({"status_code": status, "errors": entries}, status=status, headers=headers)


def refusal_for(error: Exception) -> errors.NotificationError:
    """Return the row of the contract's table that an exception is told as."""
    if isinstance(error, errors.NotificationError):
        return error
    if isinstance(error, JSONRefused):
        is_long = error.reason is strict_json.Reason.TOO_MANY_VALUES
        return errors.NotificationError(_TOO_MANY_VALUES) if is_long else errors.InvalidJson()
    if isinstance(error, BodyRefused):
        return _refused_body(error.reason)
    if isinstance(error, SuspiciousOperation):  # Django's: more than 1,000 parameters
        return errors.NotificationError(envelopes.NOT_UNDERSTOOD.message)
    if outage.is_database_away(error):
        return errors.Unavailable()
    return errors.InternalError()


def status_of(error: type[errors.NotificationError]) -> int:
    if issubclass(error, errors.Unauthenticated):
        return 401
    return STATUS_BY_CLASS.get(error, STATUS_BY_KIND[error.kind])


def _refusal(refusal: errors.NotificationError, status: int) -> Refusal:
    """Return what is kept of a refusal for the page of the key that called: nothing that came from the caller."""
    first = next(iter(refusal.faults), refusal)
    row = problems.find(first)
    apart = refusal.seconds_apart if isinstance(refusal, errors.ClockSkewed) else None
    is_sane = apart is not None and abs(apart) < SECONDS_WORTH_TELLING
    return Refusal(
        status=status, kind=first.kind, slug=row.slug if row else "", seconds_apart=apart if is_sane else None
    )


def _refused_body(reason: Reason) -> errors.NotificationError:
    match reason:
        case Reason.LENGTH_REQUIRED:
            return errors.LengthRequired()
        case Reason.TOO_LARGE:
            return errors.PayloadTooLarge(max_bytes=NotificationJSONParser().max_bytes)
        case Reason.UNKNOWN_CODING:
            return errors.ContentEncodingRefused()
        case _:
            return errors.InvalidJson()


def _entry(fault: errors.NotificationError, context: Mapping[str, Any]) -> dict[str, str]:
    """Return the seed's two keys; for callers that ask for help also what to do.

    That is what is known of this request, else what is always true.
    """
    entry = {"error": fault.kind, "message": fault.message}
    if not envelopes.wants_help(context["request"]):
        return entry
    row = problems.find(fault)
    if fix := fault.fix or (row.fix if row else ""):
        entry["fix"] = fix
    if row:
        entry["docs"] = links.docs_url(context["request"], row.anchor)
    return entry


def _headers(refusal: errors.NotificationError) -> dict[str, str]:
    headers = {}
    if isinstance(refusal, errors.Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(refusal, errors.MethodNotAllowed):
        headers["Allow"] = ", ".join(refusal.allowed)
    if refusal.retry_after_seconds is not None:
        headers["Retry-After"] = str(refusal.retry_after_seconds)
    return headers
