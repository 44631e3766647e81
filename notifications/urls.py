"""The URLs of the sending area, in one list, because an `include` would add a step to each look-up."""

from django.urls import path

from notifications.api.urls import urlpatterns as api
from notifications.download import reply_to, unsubscribe
from notifications.download.urls import urlpatterns as download
from notifications.receipts.urls import urlpatterns as receipts
from notifications.sandbox.urls import urlpatterns as sandbox

urlpatterns = [
    *api,
    *sandbox,
    *download,
    *receipts,
    path("unsubscribe/preview", unsubscribe.preview),
    path("unsubscribe/<str:token>", unsubscribe.unsubscribe),
    path("reply-to/confirm", reply_to.confirm, name="confirm-reply-to"),
]
