"""UUIDs as callers write them. Source: the sending contract §5."""

import re
from uuid import UUID

_HEX = r"[0-9a-f]{8}(?P<h>-?)[0-9a-f]{4}(?P=h)[0-9a-f]{4}(?P=h)[0-9a-f]{4}(?P=h)[0-9a-f]{12}"
_UUID = re.compile(rf"\A(?:urn:uuid:)?(?P<brace>\{{)?{_HEX}(?(brace)\}})\Z", re.IGNORECASE)


def parse_uuid(text: object) -> UUID | None:
    """Read a UUID in any case, also without hyphens, in braces or after `urn:uuid:`; None where it is none.

    Stricter than Python's own reader, which takes white space, underscores and hyphens anywhere.

    >>> parse_uuid("{4A3F20E0-5F0D-4A53-9A35-2F0F6F1C7A10}")
    UUID('4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10')
    >>> parse_uuid(" 4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10"), parse_uuid(17)
    (None, None)
    """
    return UUID(text) if isinstance(text, str) and _UUID.match(text) else None
