"""The place in a raw read at which the next page starts. Source: Data Set contract §11.

A cursor holds the version, what query it belongs to, and the position of the last record given. It is not secret and
not trusted: whatever does not decode to exactly that, or belongs to another query or data set, is refused.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from datasets.records import moments

_VERSION = 1
_MAX_LENGTH = 1000  # ours are shorter than 700 even with an id of 255 characters outside the basic plane


class CursorRefused(ValueError):
    """Not a cursor of ours, or not of this query."""


class Position(NamedTuple):
    timestamp: datetime
    record_id: str


def query_hash(data_set_id: int, parameters: Iterable[tuple[str, str]]) -> str:
    """Return what tells one query from another; the order of the parameters does not count, nor cursor and limit."""
    counted = sorted(pair for pair in parameters if pair[0] not in {"cursor", "limit"})
    return hashlib.sha256(json.dumps([data_set_id, counted]).encode()).hexdigest()[:16]


def write(query: str, position: Position) -> str:
    text = json.dumps([_VERSION, query, moments.write(position.timestamp), position.record_id], ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read(cursor: str, query: str) -> Position:
    """Raises CursorRefused.

    >>> position = Position(moments.parse("2024-01-01T00:00:00.5Z"), "é")
    >>> read(write("abc", position), "abc") == position
    True
    """
    if len(cursor) > 4 * _MAX_LENGTH:
        raise CursorRefused
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        version, belongs_to, timestamp, record_id = json.loads(data)
        position = Position(moments.parse(timestamp), record_id)
        is_ours = version == _VERSION and belongs_to == query and write(query, position) == cursor
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise CursorRefused from error
    if not is_ours:
        raise CursorRefused
    return position
