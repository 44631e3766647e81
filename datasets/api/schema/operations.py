"""Describe the operations of a data set for the OpenAPI document."""

from functools import partial
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiViewExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)

from config.docs.annotate import annotated
from datasets.api import dry_runs, keeping, serializers
from datasets.api.schema import shapes
from datasets.queries.methods import METHODS
from datasets.queries.parameters import COMPARISONS, FORMATS, MAX_DURATION, MOVING
from datasets.queries.query import PERIODS
from datasets.queries.where.conditions import MAX_CHARACTERS

WRITING, SINGLE, SCHEMAS, READING = "Write records", "Single records", "Schemas", "Read records"

_TEXT = {"type": "string"}
_QUERY_ID = {"type": "string", "pattern": "^[A-Za-z0-9]{16}$"}
_WORD = {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,59}$"}


def parameter(place: Any, name: str, about: str, schema: dict[str, Any]) -> OpenApiParameter:
    return OpenApiParameter(name, schema, place, description=about)


def answer_header(name: str, about: str, schema: dict[str, Any], *statuses: int) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=about, response=list(statuses))


def either(answer: type, dry_run: type, about: str) -> OpenApiResponse:
    """Return the response of a write: its own answer, or that of a dry run."""
    names = f"{answer.__name__}OrDryRun".replace("Serializer", "")
    both = PolymorphicProxySerializer(names, serializers=[answer, dry_run], resource_type_field_name=None)
    return OpenApiResponse(both, description=f"{about} Of a dry run: what would change.")


path = partial(parameter, OpenApiParameter.PATH)
query = partial(parameter, OpenApiParameter.QUERY)
header = partial(parameter, OpenApiParameter.HEADER)

GROUP = path("group", "The data group.", {**_WORD, "examples": ["demo"]})
TYPE = path("type", "The data type.", {**_WORD, "examples": ["visits"]})
CODING = header(
    "Content-Encoding",
    "Send `gzip` for a compressed body. The size limit applies before and after decompression.",
    {"enum": ["gzip", "identity"]},
)
_IDEMPOTENCY_KEY = header(
    "Idempotency-Key",
    "A request with the same key and body within 24 hours gets the first response and stores nothing.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
)
_REPLAYED = answer_header(
    "Idempotent-Replay",
    "This is the response to an earlier request with the same `Idempotency-Key`.",
    {"const": "true"},
    200,
    207,
)
DRY_RUN = query(
    "dry_run",
    "`true`: carry out all checks and return what would change. Nothing is stored. Other values are an error.",
    {"const": "true"},
)
_ON_ERROR = query(
    "on_error",
    "`keep`: store the valid records, keep the others for 7 days, and return 207. Other values are an error.",
    {"const": "keep"},
)
WARNED = answer_header(
    "Signalbox-Warnings",
    "How many stored records do not fit the schema, if the mode is `warn` and there are any.",
    {"type": "string", "pattern": "^[0-9]+$"},
    200,
    207,
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
            "x-variable": "DATA_TOKEN",
        }

    def get_security_requirement(self, auto_schema: AutoSchema) -> Any:
        own: dict[str, list[str]] = {self.name: []}
        return [own, {}] if auto_schema.method == "GET" else own


def _parameters() -> list[OpenApiParameter]:
    """Return the parameters of a read in the order of checks."""
    most = {"type": "integer", "minimum": 1}
    limits = f"The maximum number of rows. The default for a raw JSON read is {settings.DATASETS_DEFAULT_LIMIT}."
    named = ", ".join(name for name in METHODS if not name[1:].isdigit())
    methods = (
        f"`field:method`, added to each row. Repeatable. Methods: {named}, and p1 to p99. "
        "Without `group_by` and `period`, the response has one row of totals."
    )
    where = (
        'Conditions, such as `channel = "web" and not (status in (404, "404") or geo.country = "GB")`. '
        "The reference lists the comparisons. An error names the position of the character."
    )
    grouped = "A field or a path such as `geo.country`, `_hour_of_day` or `_day_of_week`. Repeatable."
    filters = "`field:value`. Repeatable; all must match. Write `:` in a field name as `\\:`."
    duration = "The number of periods, from `start_at` or up to `end_at` or now."
    return [
        query("format", "The default is `json`. The others return all records in one stream.", {"enum": [*FORMATS]}),
        query("start_at", "Return records from this moment on. Encode `+` as `%2B`.", _MOMENT),
        query("end_at", "Return records before this moment.", _MOMENT),
        query("inclusive", "Send `true` to include the moment `end_at`, which may then equal `start_at`.", _SWITCH),
        query("period", "Return one row for each period, including empty ones.", {"enum": [*PERIODS]}),
        query("duration", duration, {**most, "maximum": MAX_DURATION}),
        query("filter_by", filters, _TEXTS),
        query("filter_by_prefix", "`field:prefix` for texts. Repeatable; all must match.", _TEXTS),
        query("where", where, {"type": "string", "maxLength": MAX_CHARACTERS}),
        query("group_by", f"{grouped} The response has one row for each of its values.", _TEXTS),
        query("collect", methods, _TEXTS),
        query("sort_by", "`field:ascending` or `field:descending`.", _TEXT),
        query("limit", limits, {**most, "maximum": settings.DATASETS_MAX_LIMIT}),
        query("cursor", "The `next_cursor` of the previous page.", _TEXT),
        query("flatten", "With groups and periods, return one row for each pair, without nesting.", _SWITCH),
        query("having", "Conditions on the keys of a grouped row, such as `_count >= 5`.", _TEXT),
        query("select", "A field of a raw read. The response has only these, in this order. Repeatable.", _TEXTS),
        query("time_zone", "An IANA name such as `Europe/London`. Periods follow its local time.", _TEXT),
        query("compare", "Add `_previous` to each row: the same of an earlier range.", {"enum": [*COMPARISONS]}),
        query("moving", "Add means over this number of periods to each row.", {"type": "integer", **_moving()}),
    ]


def _moving() -> dict[str, int]:
    return {"minimum": MOVING[0], "maximum": MOVING[-1]}


class DataSets(OpenApiViewExtension):
    target_class = "datasets.api.views.DataSetViewSet"

    def view_replacement(self) -> Any:
        return annotated(
            self.target,
            append=extend_schema(
                operation_id="writeRecords",
                tags=[WRITING],
                summary="Add records",
                description=(
                    "Store all records of the body, or none. A single object counts as an array of one. With "
                    "`on_error=keep` the valid records are stored."
                ),
                request={"application/json": {"oneOf": [shapes.RECORDS, shapes.RECORD]}},
                responses={
                    200: either(
                        serializers.StoredSerializer, dry_runs.AppendDryRunSerializer, "The records are stored."
                    ),
                    207: either(
                        keeping.PartlyStoredSerializer,
                        keeping.PartlyDryRunSerializer,
                        "With `on_error=keep`: the valid records are stored, and the others are kept for 7 days.",
                    ),
                },
                parameters=[GROUP, TYPE, DRY_RUN, _ON_ERROR, CODING, _IDEMPOTENCY_KEY, _REPLAYED, WARNED],
                examples=[OpenApiExample("Example", shapes.EXAMPLE, request_only=True)],
            ),
            empty=extend_schema(
                operation_id="emptyDataSet",
                tags=[WRITING],
                summary="Empty a data set",
                description=(
                    "Remove all records. Settings and tokens stay. `undoEmptying` brings the records back for 24 hours."
                ),
                request={"application/json": shapes.NOTHING},
                responses={
                    200: either(
                        serializers.EmptiedSerializer, dry_runs.EmptyDryRunSerializer, "All records are deleted."
                    )
                },
                parameters=[GROUP, TYPE, DRY_RUN, CODING],
                examples=[OpenApiExample("Example", [], request_only=True)],
            ),
            undo=extend_schema(
                operation_id="undoEmptying",
                tags=[WRITING],
                summary="Undo emptying",
                description=(
                    "Bring back the records of the last emptying within 24 hours. Records that were written since "
                    "then stay, and win where the `_id` is the same. The body is ignored."
                ),
                request=None,
                responses={200: serializers.UndoneSerializer},
                parameters=[GROUP, TYPE],
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
                    (200, "application/vnd.apache.parquet"): {"type": "string", "format": "binary"},
                    304: OpenApiResponse(description="Not changed: `If-None-Match` contains the current entity tag."),
                },
                parameters=[
                    GROUP,
                    TYPE,
                    *_parameters(),
                    header("If-None-Match", "The entity tags of stored answers.", _TEXT),
                    answer_header("ETag", "Changes when the answer changes.", _TEXT, 200, 304),
                    answer_header(
                        "Cache-Control", "How long the answer of a public data set may be cached.", _TEXT, 200, 304
                    ),
                ],
            ),
        )


class SavedQueries(OpenApiViewExtension):
    target_class = "datasets.api.saved_queries.SavedQueryViewSet"

    def view_replacement(self) -> Any:
        image = {"type": "string", "format": "binary"}
        return annotated(
            self.target,
            page=extend_schema(
                operation_id="listSavedQueries",
                tags=[READING],
                summary="List saved queries",
                description=(
                    "Return the saved queries that your token may read: for a token of a saved query this query, for "
                    "an access token with the scope read the public queries of its data set."
                ),
                auth=[{"accessToken": []}],  # type: ignore[list-item]  # the stubs know names only
                responses={200: shapes.SAVED_QUERIES},
            ),
            read=extend_schema(
                operation_id="readSavedQuery",
                tags=[READING],
                summary="Read the answer of a saved query",
                description=(
                    "Return the rows of a saved query, or its chart as an image. A public query needs no token, any "
                    "other one a token of its own, which the console issues."
                ),
                auth=[{"accessToken": []}, {}],  # type: ignore[list-item]  # the stubs know names only
                responses={
                    (200, "application/json"): shapes.SAVED_QUERY,
                    (200, "text/csv"): {"type": "string"},
                    (200, "image/svg+xml"): {"type": "string"},
                    (200, "image/png"): image,
                    304: OpenApiResponse(description="Not changed: `If-None-Match` contains the current entity tag."),
                },
                parameters=[
                    path("public_id", "The id of the query.", {**_QUERY_ID, "examples": ["demoVisitsWeekly"]}),
                    path("form", "The format.", {"enum": ["json", "csv", "svg", "png"], "examples": ["json"]}),
                    header("If-None-Match", "The entity tags of stored answers.", _TEXT),
                ],
            ),
        )
