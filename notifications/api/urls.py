"""The URLs under /v2. A trailing slash is optional. Source: docs/reference/sending-api.md §2.1."""

from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from notifications.api.bulk.views import BulkSendViewSet
from notifications.api.keys import ApiKeyViewSet
from notifications.api.suppressions.views import SuppressionViewSet
from notifications.api.templates.views import ManagedTemplateViewSet
from notifications.api.views import NotificationViewSet, ReceivedTextViewSet, TemplateViewSet, UnsubscribeRequestViewSet


def _slashed(route: str, view: Callable[..., Any]) -> list[URLPattern]:  # Any: the result type of Django's views
    return [path(route, view), path(f"{route}/", view)]


urlpatterns = [
    *_slashed("v2/notifications/sms", NotificationViewSet.as_view({"post": "sms"})),
    *_slashed("v2/notifications/email", NotificationViewSet.as_view({"post": "email"})),
    *_slashed("v2/notifications/bulk", BulkSendViewSet.as_view({"get": "list", "post": "send"})),
    *_slashed(
        "v2/notifications/bulk/<str:bulk_send_id>",
        BulkSendViewSet.as_view({"get": "retrieve", "patch": "move"}, unknown_methods=["POST"]),
    ),
    *_slashed("v2/notifications/bulk/<str:bulk_send_id>/rows", BulkSendViewSet.as_view({"get": "rows"})),
    *_slashed("v2/notifications/bulk/<str:bulk_send_id>/pause", BulkSendViewSet.as_view({"post": "pause"})),
    *_slashed("v2/notifications/bulk/<str:bulk_send_id>/resume", BulkSendViewSet.as_view({"post": "resume"})),
    *_slashed("v2/notifications/bulk/<str:bulk_send_id>/cancel", BulkSendViewSet.as_view({"post": "cancel"})),
    *_slashed(
        "v2/notifications/bulk/<str:bulk_send_id>/retry-failed", BulkSendViewSet.as_view({"post": "retry_failed"})
    ),
    *_slashed("v2/notifications", NotificationViewSet.as_view({"get": "list"})),
    *_slashed(
        "v2/notifications/scheduled",
        NotificationViewSet.as_view({"get": "scheduled"}, unknown_methods=["POST"]),
    ),
    *_slashed(
        "v2/notifications/<str:notification_id>",
        NotificationViewSet.as_view({"get": "retrieve", "patch": "move"}, unknown_methods=["POST"]),
    ),
    *_slashed("v2/notifications/<str:notification_id>/cancel", NotificationViewSet.as_view({"post": "cancel"})),
    *_slashed("v2/templates", ManagedTemplateViewSet.as_view({"get": "list", "post": "create"})),
    *_slashed("v2/templates/<str:template_id>", ManagedTemplateViewSet.as_view({"get": "read", "patch": "change"})),
    *_slashed("v2/templates/<str:template_id>/files/<str:file_id>", ManagedTemplateViewSet.as_view({"get": "file"})),
    *_slashed("v2/template/<str:template_id>", TemplateViewSet.as_view({"get": "retrieve"})),
    *_slashed("v2/template/<str:template_id>/version/<str:number>", TemplateViewSet.as_view({"get": "version"})),
    *_slashed("v2/template/<str:template_id>/preview", TemplateViewSet.as_view({"post": "preview"})),
    *_slashed("v2/api-key", ApiKeyViewSet.as_view({"get": "retrieve"})),
    *_slashed("v2/received-text-messages", ReceivedTextViewSet.as_view({"get": "list"})),
    *_slashed("v2/unsubscribe-requests", UnsubscribeRequestViewSet.as_view({"get": "list"})),
    *_slashed("v2/suppressions", SuppressionViewSet.as_view({"get": "list", "post": "add"})),
    *_slashed("v2/suppressions/search", SuppressionViewSet.as_view({"post": "search"})),
    *_slashed(
        "v2/suppressions/<str:suppression_id>", SuppressionViewSet.as_view({"get": "retrieve", "delete": "lift"})
    ),
]
