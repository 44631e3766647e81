"""URLs of the sandbox inbox."""

from django.urls import path

from notifications.sandbox import api, views

urlpatterns = [
    path("sandbox/", views.messages, name="sandbox-inbox"),
    path("sandbox/empty/", views.empty, name="sandbox-empty"),
    path("sandbox/messages/<uuid:message_id>/", views.message, name="sandbox-message"),
    path("sandbox/messages/<uuid:message_id>/remove/", views.remove, name="sandbox-remove"),
    path("sandbox/messages/<uuid:message_id>/unsubscribe/", views.unsubscribe, name="sandbox-unsubscribe"),
    path("sandbox/api/messages", api.messages, name="sandbox-api-messages"),
    path("sandbox/api/messages/<uuid:message_id>", api.message, name="sandbox-api-message"),
]
