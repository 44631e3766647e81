"""The place in a raw read at which the next page starts. Source: Data Set contract §11.

A cursor holds the version, what query it belongs to, and the sort position of the last record given. It is not secret
and not trusted: whatever does not decode to exactly that, or belongs to another query or data set, is refused.
"""

import base64
import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from datasets.records import moments

_VERSION = 1


class CursorRefused(ValueError):
    """Not a cursor of ours, or not of this query."""


class LongText(NamedTuple):
    """Stands for a text that no URL can hold; the record itself still has it, or the cursor is of no use any more."""

    digest: str

    @classmethod
    def of(cls, text: str) -> "LongText":
        return cls(hashlib.sha256(text.encode()).hexdigest()[:32])


class Position(NamedTuple):
    """Of the last record given. value: what it was sorted by besides; None where nothing or nothing comparable."""

    value: str | int | float | bool | LongText | None
    timestamp: datetime
    record_id: str


def query_hash(data_set_id: int, parameters: Iterable[tuple[str, str]]) -> str:
    """Return what tells one query from another; the order of the parameters does not count, nor cursor and limit."""
    counted = sorted(pair for pair in parameters if pair[0] not in {"cursor", "limit"})
    return hashlib.sha256(json.dumps([data_set_id, counted]).encode()).hexdigest()[:16]


def write(query: str, position: Position) -> str:
    value, timestamp, record_id = position
    text = json.dumps([_VERSION, query, value, moments.write(timestamp), record_id], ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read(cursor: str, query: str) -> Position:
    """Raises CursorRefused.

    >>> position = Position(1.5, moments.parse("2024-01-01T00:00:00.5Z"), "é")
    >>> read(write("abc", position), "abc") == position
    True
    """
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        version, belongs_to, value, timestamp, record_id = json.loads(data, parse_constant=_refuse)
        value = LongText(*value) if isinstance(value, list) else value
        position = Position(value, moments.parse(timestamp), record_id)
        is_ours = version == _VERSION and belongs_to == query and isinstance(record_id, str)
        is_ours = is_ours and not isinstance(value, dict) and write(query, position) == cursor
        is_ours = is_ours and "\0" not in f"{value}{record_id}"  # PostgreSQL takes no such text
    except (ValueError, TypeError, RecursionError) as error:  # base64's and JSON's own errors are ValueErrors
        raise CursorRefused from error
    if not is_ours:
        raise CursorRefused
    return position


def _refuse(_: str) -> Any:  # Any: it never returns
    raise CursorRefused
