"""Map exceptions of shared code to the errors of this area. Source: docs/reference/data-sets.md §10."""

from django.conf import settings

from config.rest import body, strict_json
from config.rest.handler import AreaErrors
from datasets import errors

ERRORS = AreaErrors(
    unreadable={
        body.BodyReason.TOO_LARGE: errors.BodyTooLarge,
        body.BodyReason.UNKNOWN_CODING: errors.WrongContentEncoding,
        body.BodyReason.BAD_GZIP: errors.BodyNotGzip,
        body.BodyReason.LENGTH_REQUIRED: errors.BodyEmpty,
        strict_json.JsonReason.TOO_MANY_VALUES: errors.TooManyValues,
        strict_json.JsonReason.EMPTY: errors.BodyEmpty,
        strict_json.JsonReason.NOT_UTF8: errors.BodyNotUtf8,
    },
    other_unreadable=errors.BodyNotJson,
    max_bytes=lambda: settings.DATASETS_MAX_BODY_BYTES,
    not_understood=errors.DataRequestNotUnderstood,
    busy=errors.Busy,
    failed=errors.DataInternalError,
    method_not_allowed=errors.MethodNotAllowed,
)
