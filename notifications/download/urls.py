"""URLs of the recipient's pages. Similar URLs show "This link does not work"."""

from django.urls import path, re_path

from notifications.download import access, previews, views
from notifications.download.confirm import confirm

urlpatterns = [
    path("d/<str:file_id>", views.landing, name="download-landing"),
    path("d/<str:file_id>/confirm", confirm, name="download-confirm"),
    path("d/<str:file_id>/file", views.ready, name="download-file"),
    path("d/<str:file_id>/download", views.download, name="download-bytes"),
    path("d/preview/<str:token>/<slug:page>", previews.preview, name="download-preview"),
    re_path(r"^d(?:/[\s\S]*)?\Z", access.nowhere),
    path("services/<str:service_id>/documents/<str:document>", access.nowhere),  # the link for a simulated recipient
    path("robots.txt", views.robots),
]
