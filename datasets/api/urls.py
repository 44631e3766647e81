"""The URLs of the data set API, and of published dashboards. There are no redirects.

A slash at the end changes nothing, except in the path of a record: an `_id` may end with one.
"""

from django.urls import re_path

from datasets.api.deleting import MatchingRecordsViewSet
from datasets.api.imports import ImportViewSet
from datasets.api.open_data import CatalogueView, CsvMetadataView, SchemaOrgView
from datasets.api.record_views import RecordViewSet
from datasets.api.saved_queries import SavedQueryViewSet
from datasets.api.schema_views import SchemaViewSet
from datasets.api.views import DataSetViewSet, NothingHereView
from datasets.dashboards import views as dashboards

data_set = DataSetViewSet.as_view(
    {"get": "read", "post": "append", "put": "empty", "options": "describe"},
    reads_in_part=True,
)

undo = DataSetViewSet.as_view({"post": "undo"})

saved_query = SavedQueryViewSet.as_view({"get": "read"})
saved_queries = SavedQueryViewSet.as_view({"get": "page"})
record = RecordViewSet.as_view(
    {"get": "retrieve", "put": "change", "delete": "destroy", "options": "describe"}, reads_in_part=True
)

schema = SchemaViewSet.as_view({"get": "retrieve", "put": "give", "options": "describe"})

matching = MatchingRecordsViewSet.as_view({"delete": "destroy", "options": "describe"})
imports = ImportViewSet.as_view({"get": "page", "post": "start", "options": "describe"})
one_import = ImportViewSet.as_view(
    {"get": "read", "patch": "change", "delete": "cancel", "options": "describe"}, part="import"
)
rejected = ImportViewSet.as_view({"get": "rejected", "options": "describe"}, part="rejected")
_SET = r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)"

rare_urlpatterns = [
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/records\Z", matching, name="matching_records"),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/schema\Z", schema, name="schema"),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/records/(?P<record_id>[\s\S]+)\Z", record, name="record"),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/undo\Z", undo, name="undo_emptying"),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)\.jsonld\Z", SchemaOrgView.as_view()),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)\.csv-metadata\.json\Z", CsvMetadataView.as_view()),
    re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/]+)/?\Z", data_set, name="data_set"),
    re_path(rf"{_SET}/imports\Z", imports, name="imports"),
    re_path(rf"{_SET}/imports/(?P<id>[^/]+)\Z", one_import, name="import"),
    re_path(rf"{_SET}/imports/(?P<id>[^/]+)/rejected\Z", rejected, name="rejected_rows"),
    re_path(r"^queries/(?P<public_id>[A-Za-z0-9]{16})\.(?P<form>json|csv|svg|png)\Z", saved_query, name="saved_query"),
    re_path(r"^queries/?\Z", saved_queries, name="saved_queries"),
    re_path(r"^catalogue\.jsonld\Z", CatalogueView.as_view()),
    re_path(r"^(?:data|queries)(?:/[\s\S]*)?\Z", NothingHereView.as_view()),
    re_path(r"^dashboards/(?P<slug>[a-z0-9-]{1,60})\Z", dashboards.dashboard, name="dashboard"),
    re_path(r"^dashboards/(?P<slug>[a-z0-9-]{1,60})/(?P<tile_id>[0-9]{1,18})\.csv\Z", dashboards.csv, name="tile_csv"),
]

urlpatterns = [re_path(r"^data/(?P<group>[^/]+)/(?P<type>[^/.]+)/?\Z", data_set)]
