"""Read the header `Change-Reason`. Source: docs/reference/data-sets.md §20."""

from urllib.parse import unquote_to_bytes

from rest_framework.request import Request

from config.invalid import InvalidValue
from datasets import errors, validation


def reason_of(request: Request) -> str:
    """Return the reason for a change, or "". Raises ReasonMalformed."""
    sent = request.META.get("HTTP_CHANGE_REASON", "")
    try:
        return validation.parse_reason(unquote_to_bytes(sent.encode("ascii")).decode())
    except (UnicodeError, InvalidValue):
        raise errors.ReasonMalformed from None
