"""The URLs of FILES_BASE_URL, if it is a separate host: the recipient's pages and static files."""

from django.urls import include, re_path

from notifications.download import access

handler400 = "config.views.bad_request"
handler500 = "config.views.server_error"

urlpatterns = [
    re_path(r"", include("notifications.download.urls")),
    re_path(r"", access.nowhere),  # matches anything
]
