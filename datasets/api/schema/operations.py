"""Describe the operations of a data set for the OpenAPI document."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiViewExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)

from config.docs.annotate import annotated
from datasets.api import serializers
from datasets.api.schema import shapes
from datasets.queries.parameters import FORMATS, MAX_DURATION
from datasets.queries.query import METHODS, PERIODS

WRITING, READING = "Write records", "Read records"

_WORD = {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,59}$"}
_GROUP = OpenApiParameter(
    "group", {**_WORD, "examples": ["demo"]}, OpenApiParameter.PATH, description="The data group."
)
_TYPE = OpenApiParameter("type", {**_WORD, "examples": ["visits"]}, OpenApiParameter.PATH, description="The data type.")
_CODING = OpenApiParameter(
    "Content-Encoding",
    {"enum": ["gzip", "identity"]},
    OpenApiParameter.HEADER,
    description="Send `gzip` for a compressed body. The size limit applies before and after decompression.",
)
_IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description="A request with the same key and body within 24 hours gets the first response and stores nothing.",
)
_REPLAYED = OpenApiParameter(
    "Idempotent-Replay",
    {"const": "true"},
    OpenApiParameter.HEADER,
    description="This is the response to an earlier request with the same `Idempotency-Key`.",
    response=[200],
)
_MOMENT = {"type": "string", "format": "date-time"}
_SWITCH = {"enum": ["true", "false"]}
_TEXTS = {"type": "array", "items": {"type": "string"}}


class AccessToken(OpenApiAuthenticationExtension):
    target_class = "datasets.api.authentication.AccessTokenAuthentication"
    name = "accessToken"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": (
                "The access token of this data set. A token has the scope write (POST, PUT), the scope read (GET) or "
                "both. A public data set needs no token to read."
            ),
            "x-credential": "$DATA_TOKEN",
        }

    def get_security_requirement(self, auto_schema: AutoSchema) -> Any:
        own: dict[str, list[str]] = {self.name: []}
        return [own, {}] if auto_schema.method == "GET" else own


def _query(name: str, schema: dict[str, Any], about: str) -> OpenApiParameter:
    return OpenApiParameter(name, schema, description=about)


def _parameters() -> list[OpenApiParameter]:
    """Return the parameters of a read in the order of checks."""
    most = {"type": "integer", "minimum": 1}
    return [
        _query(
            "format",
            {"enum": list(FORMATS)},
            "The default is `json`. The others return all records in one stream.",
        ),
        _query("start_at", _MOMENT, "Return records from this moment on. Encode `+` as `%2B`."),
        _query("end_at", _MOMENT, "Return records before this moment."),
        _query("inclusive", _SWITCH, "Send `true` to include the moment `end_at`, which may then equal `start_at`."),
        _query("period", {"enum": list(PERIODS)}, "Return one row for each period, including empty ones."),
        _query(
            "duration",
            {**most, "maximum": MAX_DURATION},
            "The number of periods, from `start_at` or up to `end_at` or now.",
        ),
        _query(
            "filter_by",
            _TEXTS,
            "`field:value`. Repeatable; all must match. Write `:` in a field name as `\\:`.",
        ),
        _query("filter_by_prefix", _TEXTS, "`field:prefix` for texts. Repeatable; all must match."),
        _query("group_by", _TEXTS, "A field. The response has one row for each of its values. Repeatable."),
        _query("collect", _TEXTS, f"`field:method`, added to each row. Repeatable. Methods: {', '.join(METHODS)}."),
        _query("sort_by", {"type": "string"}, "`field:ascending` or `field:descending`."),
        _query(
            "limit",
            {**most, "maximum": settings.DATASETS_MAX_LIMIT},
            f"The maximum number of rows. The default for a raw JSON read is {settings.DATASETS_DEFAULT_LIMIT}.",
        ),
        _query("cursor", {"type": "string"}, "The `next_cursor` of the previous page."),
        _query("flatten", _SWITCH, "With groups and periods, return one row for each pair, without nesting."),
    ]


def _header(name: str, about: str, *statuses: int, schema: dict[str, Any] | None = None) -> OpenApiParameter:
    return OpenApiParameter(
        name, schema or {"type": "string"}, OpenApiParameter.HEADER, description=about, response=list(statuses)
    )


class DataSets(OpenApiViewExtension):
    target_class = "datasets.api.views.DataSetViewSet"

    def view_replacement(self) -> Any:
        return annotated(
            self.target,
            append=extend_schema(
                operation_id="writeRecords",
                tags=[WRITING],
                summary="Add records",
                description="Store all records of the body, or none. A single object counts as an array of one.",
                request={"application/json": {"oneOf": [shapes.RECORDS, shapes.RECORD]}},
                responses={200: OpenApiResponse(serializers.StoredSerializer, description="The records are stored.")},
                parameters=[_GROUP, _TYPE, _CODING, _IDEMPOTENCY_KEY, _REPLAYED],
                examples=[OpenApiExample("Example", shapes.EXAMPLE, request_only=True)],
            ),
            empty=extend_schema(
                operation_id="emptyDataSet",
                tags=[WRITING],
                summary="Empty a data set",
                description="Delete all records. Settings and tokens stay.",
                request={"application/json": shapes.NOTHING},
                responses={200: OpenApiResponse(serializers.EmptiedSerializer, description="All records are deleted.")},
                parameters=[_GROUP, _TYPE, _CODING],
                examples=[OpenApiExample("Example", [], request_only=True)],
            ),
            read=extend_schema(
                operation_id="readRecords",
                tags=[READING],
                summary="Read records",
                description=(
                    "Return whole records or, with `group_by`, `period` or both, counts and collected values. "
                    "HEAD returns the same headers without a body."
                ),
                responses={
                    (200, "application/json"): {"oneOf": [shapes.RAW, shapes.ROWS]},
                    (200, "text/csv"): {"type": "string"},
                    (200, "application/x-ndjson"): {"type": "string"},
                    304: OpenApiResponse(description="Not changed: `If-None-Match` contains the current entity tag."),
                },
                parameters=[
                    _GROUP,
                    _TYPE,
                    *_parameters(),
                    OpenApiParameter(
                        "If-None-Match",
                        str,
                        OpenApiParameter.HEADER,
                        description="The entity tags of stored answers.",
                    ),
                    _header("ETag", "Changes when the answer changes.", 200, 304),
                    _header("Cache-Control", "How long the answer of a public data set may be cached.", 200, 304),
                ],
            ),
        )
