"""Every address of the sending area."""

from django.urls import include, path

urlpatterns = [
    path("", include("notifications.api.urls")),
    path("", include("notifications.sandbox.urls")),
    path("", include("notifications.download.urls")),
]
