"""Every address of the sending area."""

from django.urls import include, path

urlpatterns = [
    path("", include("notifications.api.urls")),
    path("", include("notifications.sandbox.urls")),
    path("", include("notifications.download.urls")),
    path("", include("notifications.receipts.urls")),
    path("", include("notifications.download.unsubscribe_urls")),
]
