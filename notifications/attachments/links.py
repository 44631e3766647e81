"""Make and parse links to files. Source: docs/reference/files.md §6, §7.

The id is in the path, so that staff can refer to a file. The key is in the query, which no log keeps.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from uuid import UUID

from django.conf import settings

ID_CHARACTERS = 22  # 16 bytes
KEY_CHARACTERS = 43  # 32 bytes
TEST_DOCUMENT = "test-document"
_LINK = re.compile(
    rf"https?://[^\s<>\"']+?/d/(?P<id>[\w-]{{{ID_CHARACTERS}}})(?P<key>\?key=[\w-]{{{KEY_CHARACTERS}}})", re.ASCII
)


def with_key(file_id: UUID, secret: bytes) -> str:
    """Return the full link, which opens the file. It is sent, but never stored in plain text."""
    return f"{without_key(file_id)}?key={write(secret)}"


def without_key(file_id: UUID) -> str:
    """Return the link without its key, which is stored. It shows "This link does not work"."""
    return f"{settings.FILES_BASE_URL}/d/{write(file_id.bytes)}"


def find(text: str) -> Iterator[tuple[UUID, str]]:
    """Yield the id and the full link of every file that a text links to."""
    for match in _LINK.finditer(text):
        if (file_id := read_id(match["id"])) is not None:
            yield file_id, match[0]


def cut_keys(text: str) -> str:
    """Return a text without the keys of its links.

    >>> cut_keys(f"See https://example.org/d/{'A' * 22}?key={'B' * 43}.")
    'See https://example.org/d/AAAAAAAAAAAAAAAAAAAAAA.'
    """
    return _LINK.sub(lambda match: match[0].removesuffix(match["key"]), text)


def for_simulation(service_id: UUID) -> str:
    """Return the link for a simulated recipient, for which nothing is stored."""
    return f"{settings.FILES_BASE_URL}/services/{service_id}/documents/{TEST_DOCUMENT}"


def write(value: bytes) -> str:
    """Return base64url without padding.

    >>> write(bytes(16))
    'AAAAAAAAAAAAAAAAAAAAAA'
    """
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def read_id(text: str) -> UUID | None:
    """Return the id of its only valid spelling, or None.

    >>> read_id("AAAAAAAAAAAAAAAAAAAAAA")
    UUID('00000000-0000-0000-0000-000000000000')
    >>> read_id("AAAAAAAAAAAAAAAAAAAAAB"), read_id("AAAAAAAAAAAAAAAAAAAAAA==")
    (None, None)
    """
    value = _read(text, ID_CHARACTERS)
    return None if value is None else UUID(bytes=value)


def read_key(text: object) -> bytes | None:
    """Return the secret of its only valid spelling, or None."""
    return _read(text, KEY_CHARACTERS)


def _read(text: object, characters: int) -> bytes | None:
    if not isinstance(text, str) or len(text) != characters or not text.isascii():
        return None
    try:
        value = base64.b64decode(text + "=" * (-characters % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        return None
    return value if write(value) == text else None
