"""Read `Authorization: ApiKey-v1 {key}`, which services may accept besides tokens: the header has the whole key.

Source: docs/reference/sending-api.md §3.
"""

import re
from dataclasses import dataclass, field
from typing import Self
from uuid import UUID

from notifications import errors
from notifications.api.fields import parse_uuid

_CREDENTIALS = re.compile(r"apikey-v1(?: +(?P<key>.*))?", re.IGNORECASE)
_UUID_CHARACTERS = 36
_SHORTEST = 2 * _UUID_CHARACTERS + 1  # service id, hyphen, secret; the name of the key comes before them


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeKey:
    """The parts of a whole key that identify it."""

    service_id: UUID
    secret: str = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raise WholeKeyTooShort, KeyNotFound."""
        if len(text) < _SHORTEST:
            raise errors.WholeKeyTooShort
        end = text[-_SHORTEST:]
        service_id = parse_uuid(end[:_UUID_CHARACTERS])
        if service_id is None or end[_UUID_CHARACTERS] != "-":
            raise errors.KeyNotFound
        return cls(service_id=service_id, secret=end[_UUID_CHARACTERS + 1 :])


def find(header: str) -> str | None:
    """Return the text after the scheme, or None if the header has another scheme.

    >>> find("ApiKey-v1 booking-…"), find("apikey-V1"), find("Bearer abc")
    ('booking-…', '', None)
    """
    credentials = _CREDENTIALS.fullmatch(header.strip(" "))
    return None if credentials is None else credentials["key"] or ""
