"""The schema of a data set: GET reads it, PUT gives one. Source: docs/reference/data-sets.md §22."""

import json
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from config.rest import dry_runs
from datasets import errors
from datasets.api import bodies, caching, callers
from datasets.api.authentication import token_of
from datasets.api.headers import NOT_STORED
from datasets.api.serializers import SchemaGivenSerializer
from datasets.api.views import DataSetViewSet
from datasets.models import DataSet
from datasets.store import fields_seen, schemas

_SCHEMA_JSON = "application/schema+json"


class SchemaViewSet(DataSetViewSet):
    """The methods of the schema. Authentication and permissions are those of its data set."""

    methods: ClassVar[list[str]] = ["GET", "HEAD", "PUT", "OPTIONS"]

    def retrieve(self, request: Request, group: str, type: str) -> HttpResponse:
        """GET and HEAD: return the given schema, or else the learned one."""
        data_set = self.addressed
        if data_set is None:
            raise errors.NoSuchDataSet
        if fields_seen.is_stale(data_set):
            fields_seen.note(data_set)
        row = schemas.current(data_set)
        headers = {
            "Cache-Control": caching.cache_control(data_set, is_public=data_set.public),
            "Signalbox-Schema": f"{'given' if row.given else 'learned'}; mode={data_set.schema_mode}",
        }
        text = json.dumps(row.current or schemas.NOTHING_YET, ensure_ascii=False)
        return HttpResponse(text, content_type=_SCHEMA_JSON, headers=headers)

    def give(self, request: Request, group: str, type: str) -> Response:
        """PUT: give this schema, and set the mode if the query names one."""
        token = token_of(request)
        mode = _mode(request) or token.data_set.schema_mode
        with callers.logging_write_errors(token):
            given = bodies.read(request, with_key=False).schema()
            schemas.set_schema(token.data_set, given, mode, by=callers.actor(request, token))
        return Response(SchemaGivenSerializer({"status": "ok", "mode": mode}).data, headers=NOT_STORED)


def _mode(request: Request) -> str:
    """Return the mode of the query, or "". Raises SchemaModeUnknown."""
    given = dry_runs.values(request.META.get("QUERY_STRING", ""), name="mode")
    if given and (len(given) > 1 or given[0] not in DataSet.SchemaMode.values):
        raise errors.SchemaModeUnknown
    return given[0] if given else ""
