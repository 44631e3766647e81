"""The URLs of the data set API, each with and without a slash at the end. There are no redirects."""

from django.urls import re_path

from datasets.api.open_data import CatalogueView, CsvMetadataView, SchemaOrgView
from datasets.api.views import DataSetViewSet, NothingHereView

data_set = DataSetViewSet.as_view({"get": "read", "post": "append", "put": "empty", "options": "describe"})

undo = DataSetViewSet.as_view({"post": "undo"})

urlpatterns = [
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/undo\Z", undo, name="undo_emptying"),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)\.jsonld\Z", SchemaOrgView.as_view()),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)\.csv-metadata\.json\Z", CsvMetadataView.as_view()),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/?\Z", data_set, name="data_set"),
    re_path(r"^catalogue\.jsonld\Z", CatalogueView.as_view()),
    re_path(r"^data(?:/[\s\S]*)?\Z", NothingHereView.as_view()),
]
