"""The URLs of the sending area, in one list, because an `include` would add a step to each look-up."""

from django.urls import path

from notifications.api.urls import urlpatterns as api
from notifications.download import reply_to, unsubscribe
from notifications.download.urls import urlpatterns as download
from notifications.receipts import views as receipts
from notifications.sandbox import api as sandbox_api
from notifications.sandbox import hook_views, hooks_api, outcomes_api
from notifications.sandbox import views as sandbox

urlpatterns = [
    *api,
    path("sandbox/", sandbox.messages, name="sandbox-inbox"),
    path("sandbox/empty/", sandbox.empty, name="sandbox-empty"),
    path("sandbox/messages/<uuid:message_id>/", sandbox.message, name="sandbox-message"),
    path("sandbox/messages/<uuid:message_id>/outcome/", sandbox.outcome, name="sandbox-outcome"),
    path("sandbox/messages/<uuid:message_id>/remove/", sandbox.remove, name="sandbox-remove"),
    path("sandbox/messages/<uuid:message_id>/unsubscribe/", sandbox.unsubscribe, name="sandbox-unsubscribe"),
    path("sandbox/api/messages", sandbox_api.messages, name="sandbox-api-messages"),
    path("sandbox/api/messages/<uuid:message_id>", sandbox_api.message, name="sandbox-api-message"),
    path("sandbox/api/messages/<uuid:message_id>/outcome", outcomes_api.outcome, name="sandbox-api-outcome"),
    path("sandbox/api/messages/<uuid:message_id>/release", outcomes_api.release, name="sandbox-api-release"),
    path("sandbox/api/rules", outcomes_api.rules, name="sandbox-api-rules"),
    path("sandbox/api/rules/<uuid:rule_id>", outcomes_api.rule, name="sandbox-api-rule"),
    path("sandbox/api/clock", outcomes_api.move_clock, name="sandbox-api-clock"),
    path("sandbox/api/hooks/<slug:name>", hooks_api.hook, name="sandbox-api-hook"),
    path("sandbox/api/hooks/<slug:name>/calls", hooks_api.calls, name="sandbox-api-hook-calls"),
    path("sandbox/api/hooks/<slug:name>/calls/<uuid:call_id>/repeat", hooks_api.repeat, name="sandbox-api-hook-repeat"),
    path("sandbox/hooks/<slug:name>", hook_views.hook, name="sandbox-hook"),
    path("sandbox/hooks/<slug:name>/settings", hook_views.change, name="sandbox-hook-settings"),
    *download,
    path("providers/<str:name>/receipt", receipts.receipt),
    path("providers/<str:name>/receipt/", receipts.receipt),
    path("providers/<str:name>/received-text", receipts.received_text),
    path("providers/<str:name>/received-text/", receipts.received_text),
    path("unsubscribe/preview", unsubscribe.preview),
    path("unsubscribe/<str:token>", unsubscribe.unsubscribe),
    path("reply-to/confirm", reply_to.confirm, name="confirm-reply-to"),
]
