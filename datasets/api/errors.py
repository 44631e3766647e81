"""Every refusal and failure of the data set area as an answer. Source: Data Set contract §10."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import structlog
from django.conf import settings
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.response import Response

from config import outage
from config.rest import body, strict_json
from datasets.errors import (
    DataSetError,
    Forbidden,
    KeyMalformed,
    KeyReused,
    NoSuchDataSet,
    NothingHere,
    QueryRefused,
    RecordsRefused,
    TokenMissing,
    TokenNotLive,
    TooManyRecords,
    WrongContentType,
    WrongShape,
)

log = structlog.get_logger()

BUSY = "The service is busy; try again."

STATUSES: dict[type[DataSetError], int] = {
    NothingHere: 404,
    NoSuchDataSet: 404,
    TokenMissing: 401,
    TokenNotLive: 401,
    Forbidden: 403,
    WrongContentType: 415,
    KeyMalformed: 400,
    KeyReused: 422,
    TooManyRecords: 413,
    WrongShape: 400,
    RecordsRefused: 400,
    QueryRefused: 400,
}
BODIES: dict[body.Reason, tuple[int, str]] = {
    body.Reason.TOO_LARGE: (413, "The body is larger than {cap} bytes."),
    body.Reason.UNKNOWN_CODING: (415, "The Content-Encoding must be gzip or absent."),
    body.Reason.BAD_GZIP: (400, "The body is not valid gzip data."),
    body.Reason.CUT_SHORT: (400, "The body is not valid JSON."),
    body.Reason.LENGTH_REQUIRED: (400, "The body is empty."),
}
TEXTS: dict[strict_json.Reason, str] = {
    strict_json.Reason.EMPTY: "The body is empty.",
    strict_json.Reason.NOT_UTF8: "The body is not UTF-8 text.",
    strict_json.Reason.NOT_JSON: "The body is not valid JSON{at}.",
}


def answer(error: Exception, context: Mapping[str, Any]) -> Response:
    """Return the answer for an exception of a view of this area; what nobody foresaw is logged and says nothing."""
    status, message = status_and_message(error)
    content: dict[str, object] = {"status": "error", "message": message}
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, RecordsRefused):
        content["errors"] = [asdict(fault) for fault in error.faults]
        content["error_count"] = error.fault_count
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status == 503:
        headers["Retry-After"] = "1"
    if status >= 500:
        log.error("dataset.request_failed", exc_info=error)
    return Response(content, status=status, headers=headers)


def status_and_message(error: Exception) -> tuple[int, str]:
    """Return what the caller is told of it."""
    if isinstance(error, DataSetError):
        return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), error.message
    if isinstance(error, body.BodyRefused):
        status, message = BODIES[error.reason]
        return status, message.format(cap=settings.DATASETS_MAX_BODY_BYTES)
    if isinstance(error, strict_json.JSONRefused):
        return 400, TEXTS[error.reason].format(at=f": {error.place}" if error.place else "")
    if isinstance(error, MethodNotAllowed):
        return 405, "This method is not allowed here."
    if outage.is_database_away(error):
        return 503, BUSY
    return 500, DataSetError.message
