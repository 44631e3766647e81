"""Errors of changing templates. Source: docs/reference/sending-api.md §17.5."""

from config.rest.api_errors import SendingError
from notifications.errors.fields import ValidationError


class TemplatesNotManaged(SendingError):
    slug = "templates-not-managed"
    status = 403
    kind = "PermissionError"
    text = "This API key may not manage templates"
    fix = "Use a key that may manage templates. Staff who may edit templates can create one in the console."


class TemplateInvalid(ValidationError):
    slug = "template-invalid"
    text = "{name}: {reason}"
    fix = "Correct the value. The rules are those of the template editor."


class TemplateBreaksCalls(SendingError):
    slug = "template-breaks-calls"
    status = 409
    kind = "TemplateBreaksCalls"
    text = (
        "Publishing this text breaks calls that do not send: {names}. Keys: {keys}. "
        "Yesterday {failing} of {calls} calls would have failed"
    )
    fix = (
        "Change the programs first: values without a placeholder are ignored. Or save the text as a draft with "
        '`"state": "draft"`, or for test keys with `"state": "test"`. `"breaks_calls": true` publishes it anyway.'
    )
