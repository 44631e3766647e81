"""The sending area's share of the documentation: operations, shapes, refusals and chapters.

Loaded when the document is first asked for. Source: Developer experience §8.
"""

from collections.abc import Iterable, Mapping

from config.docs.parts import Part, Problem
from config.envelopes import HELPFUL
from notifications import problems
from notifications.api.errors import status_of
from notifications.api.schema import operations
from notifications.api.schema.chapters import CHAPTERS
from notifications.problems import calling, messages
from notifications.problems.row import Row

_SENDING = (*calling.AUTHENTICATION, calling.LIMITS[0], *calling.IDEMPOTENCY, calling.LIMITS[1], *calling.BODY)
_READING = (*calling.AUTHENTICATION, *calling.FAILURES)
_ONE = (*calling.AUTHENTICATION, messages.NOT_A_UUID, messages.NO_RESULT, *calling.FAILURES)

_ROWS: Mapping[str, Iterable[Row]] = {
    "sendTextMessage": (
        *_SENDING,
        *messages.SHAPE,
        *messages.PHONE_NUMBER,
        *messages.TEMPLATE,
        messages.PERSONALISATION,
        *messages.SMS_RULES,
        *messages.RECIPIENT,
        *calling.FAILURES,
    ),
    "sendEmail": (
        *_SENDING,
        *messages.SHAPE,
        *messages.EMAIL_SHAPE,
        *messages.TEMPLATE,
        messages.PERSONALISATION,
        *messages.EMAIL_RULES,
        *messages.RECIPIENT,
        *calling.FAILURES,
    ),
    "readMessage": _ONE,
    "listMessages": (*_READING, messages.NOT_ONE_OF, messages.NOT_A_UUID, messages.UNEXPECTED),
    "listTemplates": (*_READING, messages.NOT_ONE_OF, messages.UNEXPECTED),
    "readTemplate": _ONE,
    "readTemplateVersion": _ONE,
    "previewTemplate": (*_ONE, *calling.BODY, messages.WRONG_TYPE, messages.PERSONALISATION),
    "listReceivedTexts": (*_READING, messages.NOT_A_UUID, messages.UNEXPECTED),
    "listUnsubscribeRequests": (*_READING, messages.NOT_A_UUID, messages.UNEXPECTED),
}
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
        "errors": {"type": "array", "minItems": 1, "items": _ENTRY, "description": "All faults of a request at once."},
    },
    "required": ["status_code", "errors"],
    "additionalProperties": False,
}


def _problem(row: Row) -> Problem:
    return Problem(slug=row.slug, status=status_of(row.error), kind=row.error.kind, message=row.message, fix=row.fix)


def _refusal(problem: Problem) -> dict[str, object]:
    return {"status_code": problem.status, "errors": [{"error": problem.kind, "message": problem.message}]}


PART = Part(
    name="Sending",
    title="Text messages and emails",
    prefix="/v2/",
    chapters=CHAPTERS,
    problems={name: [_problem(row) for row in rows] for name, rows in _ROWS.items()},
    families={title: [_problem(row) for row in rows] for title, rows in problems.FAMILIES.items()},
    refusal=_refusal,
    refusal_schema=_REFUSAL,
    open_schemas=["PreviewValues"],
)
__all__ = ["PART", "operations"]
