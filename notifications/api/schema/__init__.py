"""The documentation of the sending API: operations, shapes, errors and chapters.

It is loaded with the first request for the documentation. Source: docs/reference/running.md §8.
"""

from django.conf import settings

from config.docs.parts import ApiPart
from config.rest.handler import HELPFUL
from notifications.api.schema import (
    bulk_operations,
    errors_of_operations,
    key_operations,
    operations,
    suppression_operations,
    template_operations,
)
from notifications.api.schema.chapters import CHAPTERS
from notifications.models.sandbox_message import has_inbox

_ASKED_FOR = f"Only if `Accept` names `{HELPFUL}`."
_ROW = {
    "type": "object",
    "properties": {
        "row": {"type": "integer", "description": "The row, as a spreadsheet shows it."},
        "column": {"type": ["string", "null"], "description": "The column, or null for the whole row."},
        "message": {"type": "string", "description": "What is wrong."},
    },
    "required": ["row", "column", "message"],
    "additionalProperties": False,
}
_ENTRY = {
    "type": "object",
    "properties": {
        "error": {"type": "string", "description": "The kind of the error, such as `ValidationError`."},
        "message": {"type": "string", "minLength": 1, "description": "What happened."},
        "fix": {"type": "string", "description": f"What to do. {_ASKED_FOR}"},
        "docs": {
            "type": "string",
            "format": "uri",
            "description": f"The entry for the error. {_ASKED_FOR}",
        },
        "rows_with_errors": {"type": "integer", "description": "Bulk sending: how many rows have this error."},
        "rows": {"type": "array", "items": _ROW, "description": "Bulk sending: the errors of the first 1,000 rows."},
    },
    "required": ["error", "message"],
    "additionalProperties": False,
}
_ERROR_BODY = {
    "type": "object",
    "properties": {
        "status_code": {"type": "integer", "description": "The status of the response."},
        "errors": {"type": "array", "minItems": 1, "items": _ENTRY, "description": "All errors of the request."},
    },
    "required": ["status_code", "errors"],
    "additionalProperties": False,
}
_PAGES = [
    ("Open the message in the console", "/admin/notifications/notification/{id}/change/"),
    *([("Open the sandbox inbox", "/sandbox/")] if has_inbox() else []),
]

PART = ApiPart(
    name="Sending",
    title="Text messages and emails",
    base_url=settings.BASE_URL,
    prefixes=("/v2/",),
    chapters=CHAPTERS,
    errors=errors_of_operations.BY_OPERATION,
    families=errors_of_operations.FAMILIES,
    error_schema=_ERROR_BODY,
    open_schemas=["PreviewValues"],
    exactly_one={
        "BulkSendRequest": ("rows", "csv"),
        "NewSuppression": ("email_address", "phone_number"),
        "Recipient": ("email_address", "phone_number"),
    },
    optional_bodies=["previewTemplate"],
    pages={"sendTextMessage": _PAGES, "sendEmail": _PAGES, "readMessage": _PAGES},
)
