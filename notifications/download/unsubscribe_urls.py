"""URLs of the unsubscribe page."""

from django.urls import path

from notifications.download import unsubscribe

urlpatterns = [
    path("unsubscribe/preview", unsubscribe.preview),
    path("unsubscribe/<str:token>", unsubscribe.unsubscribe),
]
