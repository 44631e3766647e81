"""The rate limit as REST framework asks for it: after authentication, before anything of the request is judged.

Source: the sending contract §4.1 step 2, §13.1; draft-ietf-httpapi-ratelimit-headers-10 for the two headers.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from notifications import errors
from notifications.api.base import ApiViewSet
from notifications.models import ApiKey
from notifications.submission import rate


class CountedViewSet(ApiViewSet):
    """A resource some of whose actions are counted; their answers say how many more requests may come."""

    counted_actions: frozenset[str] = frozenset()
    rate_headers: Mapping[str, str] = MappingProxyType({})

    def get_throttles(self) -> list[BaseThrottle]:
        return [RequestRate()] if self.action in self.counted_actions else []

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        finished: Response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in self.rate_headers.items():
            finished.headers[name] = value
        return finished


class RequestRate(BaseThrottle):
    """Counts every authenticated request, bad bodies too. Raises RateLimited, which says how long to wait."""

    def allow_request(self, request: Request, view: CountedViewSet) -> bool:  # type: ignore[override]  # no other has it
        key: ApiKey = request.auth  # type: ignore[assignment]  # by our own authentication
        try:
            passage = rate.check(key)
        except errors.RateLimited as refusal:
            view.rate_headers = _headers(key, left=0, seconds=refusal.retry_after_seconds)
            raise
        if passage:
            view.rate_headers = _headers(key, left=passage.left)
        return True


def _headers(key: ApiKey, *, left: int, seconds: int | None = None) -> dict[str, str]:
    """The limit by the name of the key type, and what is left of it; seconds: until there is something again."""
    until = f";t={seconds}" if seconds else ""
    return {
        "RateLimit-Policy": f'"{key.key_type}";q={key.service.rate_limit_per_minute};w={rate.WINDOW_MS // 1000}',
        "RateLimit": f'"{key.key_type}";r={left}{until}',
    }
