"""The URLs of the data set API, each with and without a slash at the end, and of published dashboards.

There are no redirects.
"""

from django.urls import re_path

from datasets.api.saved_queries import SavedQueryViewSet
from datasets.api.views import DataSetViewSet, NothingHereView
from datasets.dashboards import views as dashboards

data_set = DataSetViewSet.as_view({"get": "read", "post": "append", "put": "empty", "options": "describe"})

undo = DataSetViewSet.as_view({"post": "undo"})

saved_query = SavedQueryViewSet.as_view({"get": "read"})

urlpatterns = [
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/undo\Z", undo, name="undo_emptying"),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/?\Z", data_set, name="data_set"),
    re_path(r"^queries/(?P<public_id>[A-Za-z0-9]{16})\.(?P<form>json|csv|svg|png)\Z", saved_query, name="saved_query"),
    re_path(r"^(?:data|queries)(?:/[\s\S]*)?\Z", NothingHereView.as_view()),
    re_path(r"^dashboards/(?P<slug>[a-z0-9-]{1,60})\Z", dashboards.dashboard, name="dashboard"),
    re_path(r"^dashboards/(?P<slug>[a-z0-9-]{1,60})/(?P<tile_id>[0-9]{1,18})\.csv\Z", dashboards.csv, name="tile_csv"),
]
