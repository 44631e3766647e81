"""The operations of a data set: what each takes and answers when it succeeds. The views stay bare of it."""

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
from datasets.api.schema import shapes
from datasets.queries.parameters import FORMATS, MAX_DURATION
from datasets.queries.query import METHODS, PERIODS

WRITING, READING = "Write records", "Read records"

_WORD = {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,59}$"}
_GROUP = OpenApiParameter(
    "group", {**_WORD, "examples": ["demo"]}, OpenApiParameter.PATH, description="The data group."
)
_TYPE = OpenApiParameter("type", {**_WORD, "examples": ["visits"]}, OpenApiParameter.PATH, description="Its type.")
_CODING = OpenApiParameter(
    "Content-Encoding",
    {"enum": ["gzip", "identity"]},
    OpenApiParameter.HEADER,
    description="The body may be compressed with gzip; its limit holds for both sizes.",
)
_IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description="The same key with the same body, within 24 hours: the first answer again, and nothing stored twice.",
)
_REPLAYED = OpenApiParameter(
    "Idempotent-Replay",
    {"const": "true"},
    OpenApiParameter.HEADER,
    description="This is the answer to an earlier request with the same `Idempotency-Key`.",
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
                "The access token of this one data set. A token has the scope write (POST, PUT), the scope read (GET) "
                "or both. A public data set is read without one."
            ),
            "x-credential": "$DATA_TOKEN",
        }

    def get_security_requirement(self, auto_schema: AutoSchema) -> Any:
        own: dict[str, list[str]] = {self.name: []}
        return [own, {}] if auto_schema.method == "GET" else own


def _query(name: str, schema: dict[str, Any], about: str) -> OpenApiParameter:
    return OpenApiParameter(name, schema, description=about)


def _parameters() -> list[OpenApiParameter]:
    """The parameters of a read, in the order they are looked at."""
    most = {"type": "integer", "minimum": 1}
    return [
        _query("format", {"enum": list(FORMATS)}, "`json` if left out. The others give all records in one stream."),
        _query("start_at", _MOMENT, "Records from this moment on. Write `+` as `%2B`."),
        _query("end_at", _MOMENT, "Records before this moment."),
        _query("inclusive", _SWITCH, "`true`: records of the moment `end_at` too, which may equal `start_at`."),
        _query("period", {"enum": list(PERIODS)}, "One row for each period, gaps filled."),
        _query(
            "duration",
            {**most, "maximum": MAX_DURATION},
            "How many periods: from `start_at`, or up to `end_at` or now.",
        ),
        _query("filter_by", _TEXTS, "`field:value`; may repeat, all must hold. Write `:` in a field name as `\\:`."),
        _query("filter_by_prefix", _TEXTS, "`field:beginning`, of texts; may repeat, all must hold."),
        _query("group_by", _TEXTS, "A field: one row for each of its values; may repeat."),
        _query("collect", _TEXTS, f"`field:method` beside each count; may repeat. Methods: {', '.join(METHODS)}."),
        _query("sort_by", {"type": "string"}, "`field:ascending` or `field:descending`."),
        _query(
            "limit",
            {**most, "maximum": settings.DATASETS_MAX_LIMIT},
            f"Rows at most; {settings.DATASETS_DEFAULT_LIMIT} if left out of a raw JSON read.",
        ),
        _query("cursor", {"type": "string"}, "`next_cursor` of the page before."),
        _query("flatten", _SWITCH, "With groups and periods: one row for each pair, not a list in each group."),
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
                description="All records of the body are stored, or none. A bare object is taken for an array of one.",
                request={"application/json": {"oneOf": [shapes.RECORDS, shapes.RECORD]}},
                responses={200: OpenApiResponse(shapes.Stored, description="The records are stored.")},
                parameters=[_GROUP, _TYPE, _CODING, _IDEMPOTENCY_KEY, _REPLAYED],
                examples=[OpenApiExample("Example", shapes.EXAMPLE, request_only=True)],
            ),
            empty=extend_schema(
                operation_id="emptyDataSet",
                tags=[WRITING],
                summary="Empty a data set",
                description="Removes every record, and nothing else of the data set.",
                request={"application/json": shapes.NOTHING},
                responses={200: OpenApiResponse(shapes.Emptied, description="No record is left.")},
                parameters=[_GROUP, _TYPE, _CODING],
                examples=[OpenApiExample("Example", [], request_only=True)],
            ),
            read=extend_schema(
                operation_id="readRecords",
                tags=[READING],
                summary="Read records",
                description=(
                    "Whole records; with `group_by`, `period` or both, counts and collected values. "
                    "HEAD answers the same without a body."
                ),
                responses={
                    (200, "application/json"): {"oneOf": [shapes.RAW, shapes.ROWS]},
                    (200, "text/csv"): {"type": "string"},
                    (200, "application/x-ndjson"): {"type": "string"},
                    304: OpenApiResponse(description="You have it already: `If-None-Match` holds its entity tag."),
                },
                parameters=[
                    _GROUP,
                    _TYPE,
                    *_parameters(),
                    OpenApiParameter(
                        "If-None-Match", str, OpenApiParameter.HEADER, description="Entity tags you have."
                    ),
                    _header("ETag", "Changes when the answer does.", 200, 304),
                    _header("Cache-Control", "For how long a public data set may be kept.", 200, 304),
                ],
            ),
        )
