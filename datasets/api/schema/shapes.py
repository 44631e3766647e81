"""The bodies of requests and answers, described for the document. What judges records is `records/`."""

from typing import Any

from rest_framework import serializers

from datasets.errors import MAX_RECORDS
from datasets.records.faults import MAX_ID_LENGTH
from datasets.records.names import COMPUTED, MAX_LENGTH, MOMENTS

Json = dict[str, Any]  # Any: JSON Schema


class Stored(serializers.Serializer[object]):
    status = serializers.ChoiceField(choices=["ok"])


class Emptied(serializers.Serializer[object]):
    message = serializers.CharField(help_text="`pay_weekly_volumes now contains 0 records`")
    status = serializers.ChoiceField(choices=["ok"])


_MOMENT: Json = {"type": "string", "format": "date-time"}
_PERIOD: Json = {**_MOMENT, "description": "Of the same form."}
_OURS = "|".join(["_id", *MOMENTS, *sorted(COMPUTED)])
_CONTROL = r"\u0000-\u001f\u007f-\u009f"
RECORD: Json = {
    "type": "object",
    "properties": {
        "_timestamp": {
            **_MOMENT,
            "description": "The start of the period the record is about, as ISO 8601; UTC where no zone is given.",
        },
        "_id": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_ID_LENGTH,
            "pattern": r"^\S+$",
            "description": (
                "A record with the same `_id` is replaced as a whole. Left out, one is made. "
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
            f"Fields of your own: any JSON value. A name has 1 to {MAX_LENGTH} characters, no control characters, and "
            "does not start with `_`."
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
            "description": "Send it as `cursor` for the next page; null on the last one.",
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
FAULT: Json = {
    "type": "object",
    "properties": {
        "index": {"type": "integer", "minimum": 0, "description": "Which record, counted from 0."},
        "field": {"type": ["string", "null"], "description": "Which field; null where the element is no object."},
        "message": {"type": "string", "description": "What is wrong with it, such as `is required`."},
    },
    "required": ["index", "field", "message"],
    "additionalProperties": False,
}
REFUSAL: Json = {
    "type": "object",
    "properties": {
        "status": {"const": "error"},
        "message": {"type": "string", "minLength": 1, "description": "What is wrong, in one sentence."},
        "errors": {
            "type": "array",
            "items": FAULT,
            "description": "Where records are refused: the first 100 faults, by index.",
        },
        "error_count": {"type": "integer", "minimum": 1, "description": "Where records are refused: all faults."},
    },
    "required": ["status", "message"],
    "additionalProperties": False,
}

EXAMPLE = [{"_timestamp": "2026-11-20T09:00:00Z", "_id": "2026-11-20T09", "count": 42, "page": "/start"}]
