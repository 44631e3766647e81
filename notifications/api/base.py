"""The base class of all views under /v2: authentication, the rate limit, strict JSON and the shape of errors.

Source: docs/reference/sending-api.md §2.2, §4.1, §13.1; draft-ietf-httpapi-ratelimit-headers-10.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from config.audit import Actor
from config.rest import body, dry_runs, handler, strict_json
from config.rest.api_errors import ApiError
from config.rest.content import AlwaysJSON, QuickJSONRenderer, StrictJSONParser
from config.rest.handler import AreaErrors
from config.rest.request import base_url
from notifications import errors
from notifications.api.authentication import ServiceKeyAuthentication
from notifications.api.serializers import RequestSerializer
from notifications.models import ApiCallError, ApiKey, Service, ServiceLimit
from notifications.submission import rate, usage
from notifications.submission.callers import actor_of

MAX_SECONDS_APART = 10**9  # a larger difference means that `iat` is not a time
Row = TypeVar("Row", bound=Model)
_PLACEHOLDER = re.compile(r"<\w+:(\w+)>")
_EMPTY_BODIES = frozenset({b"", b"null", b"{}"})


class NotificationJSONParser(StrictJSONParser):
    """Strict JSON of at most REQUEST_MAX_BYTES, not compressed, not chunked, without a byte order mark."""

    max_bytes = property(lambda self: settings.REQUEST_MAX_BYTES)


_PARSER, _JSON = NotificationJSONParser(), NotificationJSONParser.media_type

ERRORS = AreaErrors(
    unreadable={
        body.BodyReason.LENGTH_REQUIRED: errors.LengthRequired,
        body.BodyReason.TOO_LARGE: errors.PayloadTooLarge,
        body.BodyReason.UNKNOWN_CODING: errors.UnsupportedContentEncoding,
        strict_json.JsonReason.TOO_MANY_VALUES: errors.TooManyValues,
    },
    other_unreadable=errors.InvalidJson,
    max_bytes=lambda: _PARSER.max_bytes,
    not_understood=errors.RequestNotUnderstood,
    busy=errors.Unavailable,
    failed=errors.InternalError,
    method_not_allowed=errors.MethodNotAllowed,
)


_AUTHENTICATION, _NEGOTIATOR = ServiceKeyAuthentication(), AlwaysJSON()


class ApiViewSet(ViewSet):
    """A resource of the sending API. After authentication it has `service` and `api_key`.

    It takes only the steps of REST framework that this API has: every response is JSON, every caller has a key, and no
    action has further permissions. The views read the bodies themselves.
    """

    service: Service
    api_key: ApiKey
    environ: Mapping[str, Any]  # Any: the values of a WSGI environment

    errors = ERRORS
    authentication_classes = [ServiceKeyAuthentication]  # for the documentation; `initial` authenticates
    renderer_classes = [QuickJSONRenderer]
    content_negotiation_class = AlwaysJSON
    default_response_headers: dict[str, str] = {}  # REST framework would add `Allow` to every response, 404 included
    format_kwarg = None
    http_method_names = ["get", "head", "post", "patch"]
    unknown_methods: Sequence[str] = ()  # these get the response of an unknown URL
    rate_limited_actions: frozenset[str] = frozenset()
    rate_headers: Mapping[str, str] = MappingProxyType({})

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        self.environ = request.META
        self.action = self.action_map.get(str(request.method).lower(), "")
        return Request(request, negotiator=_NEGOTIATOR)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the method first, then authenticate the caller and count the request against the rate limit."""
        if not self.action:
            if request.method in self.unknown_methods:
                raise errors.UrlNotFound
            raise errors.MethodNotAllowed(allowed=[method.upper() for method in self.action_map])
        self.service, self.api_key = _AUTHENTICATION.authenticate(request)
        if self.action in self.rate_limited_actions:
            self._count_request()

    def finalize_response(  # type: ignore[override]  # most views return a JSONResponse
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Add the rate limit headers, and count the call for its key, even if it is rejected or the key is revoked."""
        if isinstance(response, Response):
            response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in self.rate_headers.items():
            response.headers[name] = value
        noted = vars(request)  # REST framework looks up an attribute that is not there in several places
        signer: ApiKey | None = noted.get("signer")
        if signer is not None:
            error = noted.get("api_error")
            match = request._request.resolver_match
            endpoint = _endpoint(str(request.method), match.route if match else "")
            usage.count_call(signer.id, endpoint, None if error is None else _call_error(error))
            if isinstance(error, (errors.RateLimited, errors.DailyLimitReached)):
                usage.count_refused(signer.service_id, ServiceLimit(error.setting))
        return response

    @cached_property
    def is_dry_run(self) -> bool:
        """Return whether a send is only checked: if the parameter is repeated, one value `true` is enough."""
        query = self.environ.get("QUERY_STRING", "")
        return query != "" and self.action in self.rate_limited_actions and "true" in dry_runs.values(query)

    @property
    def actor(self) -> Actor:
        """Return the API key as the actor of audit events."""
        return actor_of(self.api_key)

    def checked(self, body: type[RequestSerializer], value: object) -> Any:  # Any: values of its fields
        """Return the values of a body. Raises InvalidRequest with all errors."""
        return body.shared().read(value, self.service)

    @cached_property
    def context(self) -> dict[str, object]:
        """Return the context of serializers."""
        base = base_url(self.request)
        return {"service": self.service, "base": base, "url": f"{base}{self.request.path.rstrip('/')}"}

    def get_exception_handler(self) -> Callable[[Exception, Mapping[str, Any]], Response]:
        return handler.handle

    def _count_request(self) -> None:
        """Count every authenticated request, even one with an invalid body. Raises RateLimited."""
        window = rate.window_name(self.api_key, is_dry_run=self.is_dry_run)
        policy = f'"{window}";q={self.service.rate_limit_per_minute};w={rate.WINDOW_MS // 1000}'
        try:
            result = rate.check(self.api_key, self.service, window=window)
        except errors.RateLimited as error:
            limit = f'"{window}";r=0;t={error.retry_after_seconds}'
            self.rate_headers = {"RateLimit-Policy": policy, "RateLimit": limit}
            raise
        if result:
            self.rate_headers = {"RateLimit-Policy": policy, "RateLimit": f'"{window}";r={result.left}'}


def one(rows: QuerySet[Row]) -> Row:
    """Return the row. Raises NoResultFound."""
    row = rows.first()
    if row is None:
        raise errors.NoResultFound
    return row


def check_is_json(environ: Mapping[str, Any]) -> None:
    """Raise UnsupportedContentType if the request states another type than JSON. Any: a WSGI environment"""
    content_type = environ.get("CONTENT_TYPE", "")
    if content_type != _JSON and content_type.partition(";")[0].strip().lower() != _JSON:
        raise errors.UnsupportedContentType


def read_json(environ: Mapping[str, Any]) -> object:
    """Return the JSON value of the body. Raises UnsupportedContentType, UnreadableBody, UnreadableJSON."""
    check_is_json(environ)
    return _PARSER.read_json(environ)


def read_json_if_any(environ: Mapping[str, Any]) -> object:
    """Return the JSON value of the body, or None if the body is empty, whatever its content type."""
    body.check_coding(environ)
    data = _PARSER.read_bytes(environ)
    if data.strip() in _EMPTY_BODIES:
        return None
    check_is_json(environ)
    return _PARSER.loads(data)


@cache
def _endpoint(method: str, route: str) -> str:
    """Return the endpoint of a call as the usage page shows it. Only methods of the API get here, so there are few.

    >>> _endpoint("GET", "v2/notifications/<str:notification_id>/")
    'GET /v2/notifications/{notification_id}'
    """
    path = _PLACEHOLDER.sub(r"{\1}", route.rstrip("/"))
    return f"{method} /{path}"


def _call_error(error: ApiError) -> ApiCallError:
    """Return an error for the usage page of the key, without content of the request."""
    apart = error.seconds_apart if isinstance(error, errors.ClockSkewed) else None
    is_time = apart is not None and abs(apart) < MAX_SECONDS_APART
    return ApiCallError(status=error.status, kind=error.kind, slug=error.slug, seconds_apart=apart if is_time else None)
