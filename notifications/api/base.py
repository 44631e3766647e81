"""The base class of all views under /v2: authentication, the rate limit, strict JSON and the shape of errors.

Source: docs/reference/sending-api.md §2.2, §4.1, §13.1; draft-ietf-httpapi-ratelimit-headers-10.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.viewsets import ViewSet

from config.audit import Actor
from config.rest import body, dry_runs, handler, strict_json
from config.rest.api_errors import ApiError
from config.rest.content import AlwaysJSON, QuickJSONRenderer, StrictJSONParser
from config.rest.handler import AreaErrors
from config.rest.request import base_url
from notifications import errors
from notifications.api.authentication import ServiceKeyAuthentication
from notifications.models import ApiCallError, ApiKey, Limit, Service
from notifications.submission import rate, usage
from notifications.submission.callers import actor_of

MAX_SECONDS_APART = 10**9  # a larger difference means that `iat` is not a time
Row = TypeVar("Row", bound=Model)
_EMPTY_BODIES = frozenset({b"", b"null", b"{}"})


class NotificationJSONParser(StrictJSONParser):
    """Strict JSON of at most REQUEST_MAX_BYTES, not compressed, not chunked, without a byte order mark."""

    max_bytes = property(lambda self: settings.REQUEST_MAX_BYTES)


ERRORS = AreaErrors(
    unreadable={
        body.Reason.LENGTH_REQUIRED: errors.LengthRequired,
        body.Reason.TOO_LARGE: errors.PayloadTooLarge,
        body.Reason.UNKNOWN_CODING: errors.UnsupportedContentEncoding,
        strict_json.Reason.TOO_MANY_VALUES: errors.TooManyValues,
    },
    other_unreadable=errors.InvalidJson,
    max_bytes=lambda: NotificationJSONParser().max_bytes,
    not_understood=errors.RequestNotUnderstood,
    busy=errors.Unavailable,
    failed=errors.InternalError,
    method_not_allowed=errors.MethodNotAllowed,
)


class ApiViewSet(ViewSet):
    """A resource of the sending API. After authentication it has `service` and `api_key`."""

    service: Service
    api_key: ApiKey

    errors = ERRORS
    authentication_classes = [ServiceKeyAuthentication]
    renderer_classes = [QuickJSONRenderer]
    content_negotiation_class = AlwaysJSON
    default_response_headers: dict[str, str] = {}  # REST framework would add `Allow` to every response, 404 included
    http_method_names = ["get", "head", "post", "patch"]
    unknown_methods: Sequence[str] = ()  # these get the response of an unknown URL
    rate_limited_actions: frozenset[str] = frozenset()
    rate_headers: Mapping[str, str] = MappingProxyType({})

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the method first, then authenticate the caller and count the request against the rate limit."""
        if request.method in self.unknown_methods:
            raise errors.UrlNotFound
        if str(request.method).lower() not in self.action_map:
            raise errors.MethodNotAllowed(allowed=[method.upper() for method in self.action_map])
        super().initial(request, *args, **kwargs)
        self.service = request.user  # type: ignore[assignment]  # set by ServiceKeyAuthentication
        self.api_key = request.auth  # type: ignore[assignment]

    def get_throttles(self) -> list[BaseThrottle]:
        return [RequestRate()] if self.action in self.rate_limited_actions else []

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Add the rate limit headers, and count the call for its key, even if it is rejected or the key is revoked."""
        finished: Response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in self.rate_headers.items():
            finished.headers[name] = value
        signer: ApiKey | None = getattr(request, "signer", None)
        if signer is not None:
            error = getattr(request, "api_error", None)
            usage.count_call(signer.id, _call_error(error))
            if isinstance(error, (errors.RateLimited, errors.DailyLimitReached)):
                usage.count_refused(signer.service_id, Limit(error.setting))
        return finished

    @cached_property
    def is_dry_run(self) -> bool:
        """Return whether a send is only checked: if the parameter is repeated, one value `true` is enough."""
        if self.action not in self.rate_limited_actions or not self.request.META.get("QUERY_STRING"):
            return False
        return "true" in dry_runs.values(self.request.META["QUERY_STRING"])

    @property
    def actor(self) -> Actor:
        """Return the API key as the actor of audit events."""
        return actor_of(self.api_key)

    def checked(self, body: type[serializers.BaseSerializer[Any]], value: object) -> Any:  # Any: values of its fields
        """Return the values of a body. Raises InvalidRequest with all errors."""
        given = body(data=value, context=self.context)
        given.is_valid(raise_exception=True)
        return given.validated_data

    @cached_property
    def context(self) -> dict[str, object]:
        """Return the context of serializers."""
        base = base_url(self.request)
        return {"service": self.service, "base": base, "url": f"{base}{self.request.path.rstrip('/')}"}

    def get_exception_handler(self) -> Callable[[Exception, Mapping[str, Any]], Response]:
        return handler.handle


class RequestRate(BaseThrottle):
    """Count every authenticated request, even one with an invalid body. Raises RateLimited."""

    def allow_request(self, request: Request, view: ApiViewSet) -> bool:  # type: ignore[override]  # no other has it
        key: ApiKey = request.auth  # type: ignore[assignment]  # set by ServiceKeyAuthentication
        try:
            result = rate.check(key, is_dry_run=view.is_dry_run)
        except errors.RateLimited as error:
            view.rate_headers = self._headers(key, view, left=0, seconds=error.retry_after_seconds)
            raise
        if result:
            view.rate_headers = self._headers(key, view, left=result.left)
        return True

    def _headers(self, key: ApiKey, view: ApiViewSet, *, left: int, seconds: int | None = None) -> dict[str, str]:
        """Return the two headers. seconds: the time until the next request may pass"""
        name, until = rate.window_name(key, is_dry_run=view.is_dry_run), f";t={seconds}" if seconds else ""
        return {
            "RateLimit-Policy": f'"{name}";q={key.service.rate_limit_per_minute};w={rate.WINDOW_MS // 1000}',
            "RateLimit": f'"{name}";r={left}{until}',
        }


def one(rows: QuerySet[Row]) -> Row:
    """Return the row. Raises NoResultFound."""
    row = rows.first()
    if row is None:
        raise errors.NoResultFound
    return row


def check_is_json(request: Request) -> None:
    """Raise UnsupportedContentType if the request states another type than JSON."""
    if not _is_json(request):
        raise errors.UnsupportedContentType


def read_json(request: Request) -> object:
    """Return the JSON value of the body. Raises UnsupportedContentType, UnreadableBody, UnreadableJSON."""
    check_is_json(request)
    return NotificationJSONParser().read_json(request.META)


def read_json_if_any(request: Request) -> object:
    """Return the JSON value of the body, or None if the body is empty, whatever its content type."""
    body.check_coding(request.META)
    parser = NotificationJSONParser()
    data = parser.read_bytes(request.META)
    if data.strip() in _EMPTY_BODIES:
        return None
    check_is_json(request)
    return parser.loads(data)


def _is_json(request: Request) -> bool:
    content_type = str(request.META.get("CONTENT_TYPE", ""))
    return content_type.partition(";")[0].strip().lower() == NotificationJSONParser.media_type


def _call_error(error: ApiError | None) -> ApiCallError | None:
    """Return an error for the usage page of the key, without content of the request."""
    if error is None:
        return None
    apart = error.seconds_apart if isinstance(error, errors.ClockSkewed) else None
    is_time = apart is not None and abs(apart) < MAX_SECONDS_APART
    return ApiCallError(status=error.status, kind=error.kind, slug=error.slug, seconds_apart=apart if is_time else None)
