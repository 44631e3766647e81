"""What every view under /v2 does alike: JSON in and out, one order of checks, one shape of errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from config.rest.renderers import QuickJSONRenderer
from notifications import errors
from notifications.api import links
from notifications.api.authentication import ServiceKeyAuthentication
from notifications.api.errors import handle
from notifications.models import ApiKey, Service
from notifications.submission import key_usage


class AlwaysJSON(BaseContentNegotiation):
    """JSON whatever `Accept` or `?format=` say: callers send all kinds, and 406 would help none of them."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return None  # a view reads its body itself, in the contract's order of checks

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class ApiViewSet(ViewSet):
    """A resource of the sending API; once the caller is known, `service` and `api_key` are there."""

    service: Service
    api_key: ApiKey

    authentication_classes = [ServiceKeyAuthentication]
    renderer_classes = [QuickJSONRenderer]
    content_negotiation_class = AlwaysJSON
    default_response_headers: dict[str, str] = {}  # REST framework would put `Allow` on every answer, 404 too
    http_method_names = ["get", "head", "post"]
    unknown_methods: Sequence[str] = ()  # answered as if there were nothing at this address

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse the method before the token is looked at, then authenticate and hold the rate limit."""
        if request.method in self.unknown_methods:
            raise errors.UrlNotFound
        if str(request.method).lower() not in self.action_map:
            raise errors.MethodNotAllowed(allowed=[method.upper() for method in self.action_map])
        super().initial(request, *args, **kwargs)
        self.service = request.user  # type: ignore[assignment]  # our own authentication puts them there
        self.api_key = request.auth  # type: ignore[assignment]

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Count the call for its key, refused ones and those of a key that may not be used among them."""
        finished: Response = super().finalize_response(request, response, *args, **kwargs)
        signer: ApiKey | None = getattr(request, "signer", None)
        if signer is not None:
            key_usage.note(signer.id, getattr(request, "refusal", None))
        return finished

    @property
    def context(self) -> dict[str, object]:
        """Return what serializers need of the request."""
        return {"service": self.service, "base": links.base_url(self.request)}

    def get_exception_handler(self) -> Callable[[Exception, Mapping[str, Any]], Response]:
        return handle
