"""The addresses under /v2. One slash at the end is ignored; whatever is not here the project answers with its 404.

Source: docs/reference/sending-api.md §2.1.
"""

from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from notifications.api.views import NotificationViewSet, ReceivedTextViewSet, TemplateViewSet, UnsubscribeRequestViewSet


def _address(route: str, view: Callable[..., Any]) -> list[URLPattern]:  # Any: as Django's views are typed
    return [path(route, view), path(f"{route}/", view)]


urlpatterns = [
    *_address("v2/notifications/sms", NotificationViewSet.as_view({"post": "sms"})),
    *_address("v2/notifications/email", NotificationViewSet.as_view({"post": "email"})),
    *_address("v2/notifications", NotificationViewSet.as_view({"get": "list"})),
    *_address(
        "v2/notifications/scheduled",
        NotificationViewSet.as_view({"get": "scheduled"}, unknown_methods=["POST"]),
    ),
    *_address(
        "v2/notifications/<str:notification_id>",
        NotificationViewSet.as_view({"get": "retrieve", "patch": "move"}, unknown_methods=["POST"]),
    ),
    *_address("v2/notifications/<str:notification_id>/cancel", NotificationViewSet.as_view({"post": "cancel"})),
    *_address("v2/templates", TemplateViewSet.as_view({"get": "list"})),
    *_address("v2/template/<str:template_id>", TemplateViewSet.as_view({"get": "retrieve"})),
    *_address("v2/template/<str:template_id>/version/<str:number>", TemplateViewSet.as_view({"get": "version"})),
    *_address("v2/template/<str:template_id>/preview", TemplateViewSet.as_view({"post": "preview"})),
    *_address("v2/received-text-messages", ReceivedTextViewSet.as_view({"get": "list"})),
    *_address("v2/unsubscribe-requests", UnsubscribeRequestViewSet.as_view({"get": "list"})),
]
