"""The sending area's share of the documentation: operations, shapes, errors and chapters.

Loaded when the document is first asked for. Source: docs/reference/running.md §8.
"""

from django.conf import settings

from config.docs.parts import Part
from config.rest.handler import HELPFUL
from notifications.api.schema import operations, refused
from notifications.api.schema.chapters import CHAPTERS

_ASKED_FOR = f"Only if `Accept` names `{HELPFUL}`."
_ENTRY = {
    "type": "object",
    "properties": {
        "error": {"type": "string", "description": "The kind, such as `ValidationError`."},
        "message": {"type": "string", "minLength": 1, "description": "What is wrong."},
        "fix": {"type": "string", "description": f"What to do about it. {_ASKED_FOR}"},
        "docs": {"type": "string", "format": "uri", "description": f"Its entry on this page. {_ASKED_FOR}"},
    },
    "required": ["error", "message"],
    "additionalProperties": False,
}
_REFUSAL = {
    "type": "object",
    "properties": {
        "status_code": {"type": "integer", "description": "The status of the answer."},
        "errors": {"type": "array", "minItems": 1, "items": _ENTRY, "description": "All errors of a request at once."},
    },
    "required": ["status_code", "errors"],
    "additionalProperties": False,
}


PART = Part(
    name="Sending",
    title="Text messages and emails",
    base_url=settings.BASE_URL,
    prefix="/v2/",
    chapters=CHAPTERS,
    errors=refused.BY_OPERATION,
    families=refused.FAMILIES,
    error_schema=_REFUSAL,
    open_schemas=["PreviewValues"],
)
__all__ = ["PART", "operations"]
