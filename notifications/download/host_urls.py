"""All that FILES_BASE_URL serves where it is a host of its own: the recipient's pages, and static files before them."""

from django.urls import include, re_path

from notifications.download import access

handler400 = "config.views.bad_request"
handler500 = "config.views.server_error"

urlpatterns = [
    re_path(r"", include("notifications.download.urls")),
    re_path(r"", access.nowhere),  # matches anything
]
