"""The URLs of the sending area, in one list, because an `include` would add a step to each look-up."""

from django.urls import path

from notifications.api.urls import urlpatterns as api
from notifications.download import reply_to, unsubscribe
from notifications.download.urls import urlpatterns as download
from notifications.receipts import views as receipts
from notifications.sandbox import api as sandbox_api
from notifications.sandbox import views as sandbox

urlpatterns = [
    *api,
    path("sandbox/", sandbox.messages, name="sandbox-inbox"),
    path("sandbox/empty/", sandbox.empty, name="sandbox-empty"),
    path("sandbox/messages/<uuid:message_id>/", sandbox.message, name="sandbox-message"),
    path("sandbox/messages/<uuid:message_id>/remove/", sandbox.remove, name="sandbox-remove"),
    path("sandbox/messages/<uuid:message_id>/unsubscribe/", sandbox.unsubscribe, name="sandbox-unsubscribe"),
    path("sandbox/api/messages", sandbox_api.messages, name="sandbox-api-messages"),
    path("sandbox/api/messages/<uuid:message_id>", sandbox_api.message, name="sandbox-api-message"),
    *download,
    path("providers/<str:name>/receipt", receipts.receipt),
    path("providers/<str:name>/receipt/", receipts.receipt),
    path("providers/<str:name>/received-text", receipts.received_text),
    path("providers/<str:name>/received-text/", receipts.received_text),
    path("unsubscribe/preview", unsubscribe.preview),
    path("unsubscribe/<str:token>", unsubscribe.unsubscribe),
    path("reply-to/confirm", reply_to.confirm, name="confirm-reply-to"),
]
