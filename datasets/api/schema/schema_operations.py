"""Describe the operations of a schema for the OpenAPI document."""

from typing import Any

from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.utils import OpenApiExample, extend_schema

from config.docs.annotate import annotated
from datasets.api import serializers
from datasets.api.schema.operations import CODING, GROUP, SCHEMAS, TYPE, answer_header, query
from datasets.records.schemas.documents import DIALECT

_DOCUMENT = {
    "type": "object",
    "properties": {"$schema": {"const": DIALECT}},
    "description": "A JSON Schema 2020-12 of one record.",
}
_EXAMPLE = {
    "type": "object",
    "properties": {"channel": {"type": "string"}, "count": {"type": "integer", "minimum": 0}},
    "required": ["count"],
}
_MODE = query("mode", "What happens to new records that do not fit.", {"enum": ["off", "warn", "enforce"]})


class Schemas(OpenApiViewExtension):
    target_class = "datasets.api.schema_views.SchemaViewSet"

    def view_replacement(self) -> Any:
        return annotated(
            self.target,
            retrieve=extend_schema(
                operation_id="readSchema",
                tags=[SCHEMAS],
                summary="Read the schema",
                description="Return the given schema, or else the one that was learned from the records.",
                responses={(200, "application/schema+json"): _DOCUMENT},
                parameters=[
                    *(GROUP, TYPE),
                    answer_header(
                        "Signalbox-Schema",
                        "Such as `given; mode=warn` or `learned; mode=off`.",
                        {"type": "string"},
                        200,
                    ),
                ],
            ),
            give=extend_schema(
                operation_id="giveSchema",
                tags=[SCHEMAS],
                summary="Give a schema",
                description=(
                    "Use this schema for new records. At most 64 KiB and 1,000 subschemas; `$ref` only within the "
                    "schema and without recursion. Stored records are not checked."
                ),
                request={"application/json": _DOCUMENT},
                responses={200: serializers.SchemaGivenSerializer},
                parameters=[GROUP, TYPE, _MODE, CODING],
                examples=[OpenApiExample("Example", _EXAMPLE, request_only=True)],
            ),
        )
