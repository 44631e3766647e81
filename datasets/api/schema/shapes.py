"""The JSON Schemas of records, query results and errors, which no serializer reads or writes.

Limits and names come from `datasets.records`, which validates records without a framework.
"""

from typing import Any

from datasets.errors import MAX_RECORDS
from datasets.records.names import COMPUTED, MAX_LENGTH, MOMENTS
from datasets.records.rejections import MAX_ID_LENGTH

Json = dict[str, Any]  # Any: JSON Schema


_MOMENT: Json = {"type": "string", "format": "date-time"}
_PERIOD: Json = {**_MOMENT, "description": "In the same format as `_timestamp`."}
_OURS = "|".join(["_id", *MOMENTS, *sorted(COMPUTED)])
_CONTROL = r"\u0000-\u001f\u007f-\u009f"
RECORD: Json = {
    "type": "object",
    "properties": {
        "_timestamp": {
            **_MOMENT,
            "description": "The start of the period that the record describes, in ISO 8601. The default zone is UTC.",
        },
        "_id": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_ID_LENGTH,
            "pattern": r"^\S+$",
            "description": (
                "A stored record with the same `_id` is replaced as a whole. Without an `_id`, the service makes one. "
                "At most 2,000 bytes of UTF-8."
            ),
        },
        "_start_at": _PERIOD,
        "_end_at": _PERIOD,
    },
    "required": ["_timestamp"],
    "propertyNames": {"maxLength": MAX_LENGTH, "pattern": rf"^(?:{_OURS}|[^_{_CONTROL}][^{_CONTROL}]*)$"},
    "additionalProperties": {
        "description": (
            f"Your own fields, with any JSON value. A name has 1 to {MAX_LENGTH} characters, no control characters, "
            "and does not start with `_`."
        )
    },
}
RECORDS: Json = {"type": "array", "minItems": 1, "maxItems": MAX_RECORDS, "items": RECORD}
NOTHING: Json = {"type": "array", "maxItems": 0, "items": {}}
READ_RECORD: Json = {
    **RECORD,
    "properties": {
        **RECORD["properties"],
        **{name: {**_MOMENT, "description": "Computed by the service."} for name in sorted(COMPUTED)},
    },
    "required": ["_id", "_timestamp", *sorted(COMPUTED)],
}
RAW: Json = {
    "type": "object",
    "properties": {
        "data": {"type": "array", "items": READ_RECORD, "description": "Whole records."},
        "next_cursor": {
            "type": ["string", "null"],
            "description": "Send it as `cursor` to get the next page. It is null on the last page.",
        },
    },
    "required": ["data", "next_cursor"],
    "additionalProperties": False,
}
ROWS: Json = {
    "type": "object",
    "properties": {
        "data": {
            "type": "array",
            "items": {"type": "object"},
            "description": "One row for each group, or each period, with `_count` and what was collected.",
        }
    },
    "required": ["data"],
    "additionalProperties": False,
}
RECORD_ERROR: Json = {
    "type": "object",
    "properties": {
        "index": {"type": "integer", "minimum": 0, "description": "The index of the record, from 0."},
        "field": {"type": ["string", "null"], "description": "The field, or null if the element is not an object."},
        "message": {"type": "string", "description": "The error, such as `is required`."},
    },
    "required": ["index", "field", "message"],
    "additionalProperties": False,
}
ERROR_BODY: Json = {
    "type": "object",
    "properties": {
        "status": {"const": "error"},
        "message": {"type": "string", "minLength": 1, "description": "The error in one sentence."},
        "fix": {"type": "string", "description": "What to do. Only with `Accept: application/vnd.signalbox+json`."},
        "docs": {"type": "string", "description": "The entry of this error. Only with the same `Accept`."},
        "errors": {
            "type": "array",
            "items": RECORD_ERROR,
            "description": "If records are refused: the first 100 errors, by index.",
        },
        "error_count": {
            "type": "integer",
            "minimum": 1,
            "description": "If records are refused: how many errors.",
        },
    },
    "required": ["status", "message"],
    "additionalProperties": False,
}

EXAMPLE = [{"_timestamp": "2026-11-20T09:00:00Z", "_id": "2026-11-20T09", "count": 42, "page": "/start"}]

SAVED_QUERY: dict[str, Any] = {
    "type": "object",
    "required": [
        *("id", "name", "description", "unit", "start_at", "end_at", "updated_at", "is_late", "hide_below", "data")
    ],
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "description": {"type": "string"},
        "unit": {"type": "string"},
        "start_at": {"type": ["string", "null"], "format": "date-time"},
        "end_at": {"type": ["string", "null"], "format": "date-time"},
        "updated_at": {"type": ["string", "null"], "format": "date-time"},
        "is_late": {"type": "boolean"},
        "hide_below": {
            "type": ["integer", "null"],
            "description": "The number below which values are hidden, or null. Then each row has `hidden`, the "
            "names of its values that are not shown: small ones, and others from which they could be computed.",
        },
        "data": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
    },
}

SAVED_QUERIES: dict[str, Any] = {
    "type": "object",
    "required": ["data"],
    "properties": {
        "data": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "name", "description", "unit", "data_set", "is_public"],
                "properties": {
                    "id": {"type": "string"},
                    "name": {"type": "string"},
                    "description": {"type": "string"},
                    "unit": {"type": "string"},
                    "data_set": {"type": "string", "examples": ["demo/visits"]},
                    "is_public": {"type": "boolean"},
                },
            },
        },
    },
}
