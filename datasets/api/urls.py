"""The URLs of the data set API, each with and without a slash at the end. There are no redirects."""

from django.urls import re_path

from datasets.api.saved_queries import SavedQueryViewSet
from datasets.api.views import DataSetViewSet, NothingHereView

data_set = DataSetViewSet.as_view({"get": "read", "post": "append", "put": "empty", "options": "describe"})

undo = DataSetViewSet.as_view({"post": "undo"})

saved_query = SavedQueryViewSet.as_view({"get": "read"})

urlpatterns = [
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/undo\Z", undo, name="undo_emptying"),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/?\Z", data_set, name="data_set"),
    re_path(r"^queries/(?P<public_id>[A-Za-z0-9]{16})\.(?P<form>json|csv|svg|png)\Z", saved_query, name="saved_query"),
    re_path(r"^(?:data|queries)(?:/[\s\S]*)?\Z", NothingHereView.as_view()),
]
