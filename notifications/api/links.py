"""The addresses in answers. Source: the sending contract, head and §14."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

AUTHENTICATION = "authentication"  # the chapter of the documentation that has an example of a token


def base_url(request: HttpRequest | Request) -> str:
    """Return BASE_URL or, where that is blank, scheme and host of the request."""
    base: str = settings.BASE_URL
    return base or f"{request.scheme}://{request.get_host()}"


def docs_url(request: HttpRequest | Request, anchor: str) -> str:
    return f"{base_url(request)}/docs/#{anchor}"


def unsubscribe_preview_url(request: HttpRequest | Request) -> str:
    return f"{base_url(request)}/unsubscribe/preview"


def notification_url(base: str, notification_id: UUID) -> str:
    return f"{base}/v2/notifications/{notification_id}"


def template_url(base: str, template_id: UUID, version: int) -> str:
    return f"{base}/v2/template/{template_id}/version/{version}"
