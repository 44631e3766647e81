"""The URLs of the data set API, each with and without a slash at the end. There are no redirects."""

from django.urls import re_path

from datasets.api.imports import ImportViewSet
from datasets.api.views import DataSetViewSet, NothingHereView

data_set = DataSetViewSet.as_view({"get": "read", "post": "append", "put": "empty", "options": "describe"})

undo = DataSetViewSet.as_view({"post": "undo"})

imports = ImportViewSet.as_view({"get": "page", "post": "start", "options": "describe"})
one_import = ImportViewSet.as_view(
    {"get": "read", "patch": "change", "delete": "cancel", "options": "describe"}, part="import"
)
rejected = ImportViewSet.as_view({"get": "rejected", "options": "describe"}, part="rejected")
_SET = r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)"

urlpatterns = [
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/undo\Z", undo, name="undo_emptying"),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/?\Z", data_set, name="data_set"),
    re_path(rf"{_SET}/imports\Z", imports, name="imports"),
    re_path(rf"{_SET}/imports/(?P<id>[^/]+)\Z", one_import, name="import"),
    re_path(rf"{_SET}/imports/(?P<id>[^/]+)/rejected\Z", rejected, name="rejected_rows"),
    re_path(r"^data(?:/[\s\S]*)?\Z", NothingHereView.as_view()),
]
