"""Describe the calls of imports for the OpenAPI document."""

from typing import Any

from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema

from config.docs.annotate import annotated
from datasets.api.schema import operations
from datasets.api.uploads import MULTIPART

TAG = "Import files"
Json = dict[str, Any]  # Any: JSON Schema
_TEXT: Json = {"type": "string"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_MOMENT: Json = {"type": ["string", "null"], "format": "date-time"}
_NULLABLE: Json = {"type": ["string", "null"]}

SETTINGS: Json = {
    "type": "object",
    "description": "How the file is read. `docs/reference/imports.md` lists the keys.",
}
_QUESTION: Json = {
    "type": "object",
    "description": "What only a person can decide. Send the `settings` of a choice with PATCH.",
    "properties": {
        "code": {
            "enum": ["timestamp", "dates", "numbers", "encoding", "columns", "header", "totals", "sheet", "hidden"]
        },
        "column": _NULLABLE,
        "message": _TEXT,
        "choices": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"label": _TEXT, "settings": {"type": "object"}},
                "required": ["label", "settings"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["code", "column", "message", "choices"],
    "additionalProperties": False,
}
_ROW_ERROR: Json = {
    "type": "object",
    "properties": {"row": _COUNT, "column": _NULLABLE, "message": _TEXT},
    "required": ["row", "column", "message"],
    "additionalProperties": False,
}
_PROPERTIES: Json = {
    "id": {"type": "string", "format": "uuid"},
    "data_set": {"type": "string", "description": "Group and type."},
    "state": {"enum": ["reading", "needs_answers", "running", "paused", "finished", "failed", "cancelled"]},
    "dry_run": {"type": "boolean"},
    "file": {
        "type": "object",
        "properties": {"name": _NULLABLE, "bytes": _COUNT, "format": _NULLABLE},
        "required": ["name", "bytes", "format"],
        "additionalProperties": False,
    },
    "settings": SETTINGS,
    "questions": {"type": "array", "items": _QUESTION},
    "errors": {"type": "array", "items": _ROW_ERROR, "description": "The first 50 rejected rows."},
    "message": {**_NULLABLE, "description": "Why the import failed."},
    "progress": {"type": "number", "minimum": 0, "maximum": 1},
    "rows": {
        "type": "object",
        "properties": dict.fromkeys(("total", "stored", "new", "replaced", "rejected", "left_out"), _COUNT),
        "required": ["total", "stored", "new", "replaced", "rejected", "left_out"],
        "additionalProperties": False,
    },
    "created_at": _MOMENT,
    "finished_at": _MOMENT,
}
IMPORT: Json = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": [*_PROPERTIES],
    "additionalProperties": False,
}
IMPORTS: Json = {
    "type": "object",
    "properties": {"data": {"type": "array", "items": IMPORT}, "next_cursor": _NULLABLE},
    "required": ["data", "next_cursor"],
    "additionalProperties": False,
}
_CHANGE: Json = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"settings": SETTINGS},
            "required": ["settings"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {"state": {"enum": ["paused", "running"]}},
            "required": ["state"],
            "additionalProperties": False,
        },
    ]
}
_FILE: Json = {"type": "string", "format": "binary"}
_FORM: Json = {
    "type": "object",
    "properties": {"file": _FILE, "settings": {"type": "string", "description": "Settings as JSON."}},
    "required": ["file"],
}
_ID = OpenApiParameter(
    "id",
    {"type": "string", "format": "uuid", "examples": ["6f1ed002-ab59-4ba6-8ed7-3b1e9bb0a7d4"]},
    OpenApiParameter.PATH,
    description="The id of the import.",
)
_SET = [operations.GROUP, operations.TYPE]
_RETRY = OpenApiParameter(
    "Retry-After",
    {"const": "1"},
    OpenApiParameter.HEADER,
    description="The import works: read it again after this number of seconds.",
    response=[200, 202],
)


class Imports(OpenApiViewExtension):
    target_class = "datasets.api.imports.ImportViewSet"

    def view_replacement(self) -> Any:
        return annotated(
            self.target,
            start=extend_schema(
                operation_id="importFile",
                tags=[TAG],
                summary="Import a file",
                description=(
                    "Take a file: CSV, TSV, .xlsx, .ods, NDJSON, a JSON array, Parquet or the output of mongoexport, "
                    "each also compressed with gzip. The work is done in the background. If only a person can decide "
                    "how the file is read, the import waits with questions, and nothing is stored."
                ),
                request={"text/csv": _TEXT, "application/octet-stream": _FILE, MULTIPART: _FORM},
                responses={(202, "application/json"): IMPORT},
                parameters=[
                    *_SET,
                    operations.DRY_RUN,
                    OpenApiParameter("settings", _TEXT, description="The name of saved settings."),
                    operations.CODING,
                    OpenApiParameter(
                        "Content-Disposition", _TEXT, OpenApiParameter.HEADER, description="May name the file."
                    ),
                    OpenApiParameter(
                        "Location",
                        {"type": "string", "format": "uri-reference"},
                        OpenApiParameter.HEADER,
                        description="The URL of the import.",
                        response=[202],
                    ),
                    _RETRY,
                ],
                examples=[
                    OpenApiExample(
                        "Example", "_timestamp,count\n2026-11-20,42\n", media_type="text/csv", request_only=True
                    )
                ],
            ),
            page=extend_schema(
                operation_id="listImports",
                tags=[TAG],
                summary="List imports",
                description="Return the imports of the data set, newest first.",
                responses={(200, "application/json"): IMPORTS},
                parameters=[
                    *_SET,
                    OpenApiParameter("cursor", _TEXT, description="The `next_cursor` of the previous page."),
                ],
            ),
            read=extend_schema(
                operation_id="readImport",
                tags=[TAG],
                summary="Read an import",
                description="Return the state, the questions and the counts of an import.",
                responses={(200, "application/json"): IMPORT},
                parameters=[*_SET, _ID, _RETRY],
            ),
            change=extend_schema(
                operation_id="changeImport",
                tags=[TAG],
                summary="Answer questions, pause or go on",
                description=(
                    "`settings` is a JSON merge patch. The file is read again with it, and the import starts once no "
                    "question is left. `state` pauses a running import, or lets a paused one go on."
                ),
                request={"application/json": _CHANGE},
                responses={(200, "application/json"): IMPORT},
                parameters=[*_SET, _ID, _RETRY],
                examples=[
                    OpenApiExample(
                        "Example",
                        {"settings": {"decimal": ",", "columns": {"Datum": {"to": "_timestamp"}}}},
                        request_only=True,
                    )
                ],
            ),
            cancel=extend_schema(
                operation_id="cancelImport",
                tags=[TAG],
                summary="Cancel an import",
                description="End an import. The records that it has stored stay.",
                responses={(200, "application/json"): IMPORT},
                parameters=[*_SET, _ID],
            ),
            rejected=extend_schema(
                operation_id="readRejectedRows",
                tags=[TAG],
                summary="Read the rejected rows",
                description="Return the rows that were not stored, each with its number and the reason.",
                responses={(200, "text/csv"): _TEXT, (200, "application/x-ndjson"): _TEXT},
                parameters=[
                    *_SET,
                    _ID,
                    OpenApiParameter("format", {"enum": ["csv", "ndjson"]}, description="The default is `csv`."),
                ],
            ),
        )
