"""Cursors: the position at which the next page of a raw read starts. Source: docs/reference/data-sets.md §11.

A cursor holds a version, the hash of its query, and the sort position of the last record. It is neither secret nor
trusted: a cursor that does not decode, or belongs to another query or data set, is refused.
"""

import base64
import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from datasets.records import moments

_VERSION = 1


class InvalidCursor(ValueError):
    """The text is not a cursor, or belongs to another query."""


class LongText(NamedTuple):
    """The hash of a text that is too long for a URL. The record has the text, unless it has changed."""

    text_hash: str

    @classmethod
    def of(cls, text: str) -> "LongText":
        return cls(hashlib.sha256(text.encode()).hexdigest()[:32])


class Position(NamedTuple):
    """The position of the last record of a page. value: its sort value, or None if it has none that compares."""

    value: str | int | float | bool | LongText | None
    timestamp: datetime
    record_id: str


def query_hash(data_set_id: int, parameters: Iterable[tuple[str, str]]) -> str:
    """Return the hash of a query. The order of the parameters, `cursor` and `limit` do not count."""
    counted = sorted(pair for pair in parameters if pair[0] not in {"cursor", "limit"})
    return hashlib.sha256(json.dumps([data_set_id, counted]).encode()).hexdigest()[:16]


def write(query: str, position: Position) -> str:
    value, timestamp, record_id = position
    text = json.dumps([_VERSION, query, value, moments.write(timestamp), record_id], ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read(cursor: str, query: str) -> Position:
    """Return the position in a cursor. Raises InvalidCursor if it is malformed or belongs to another query.

    >>> position = Position(1.5, moments.parse("2024-01-01T00:00:00.5Z"), "é")
    >>> read(write("abc", position), "abc") == position
    True
    """
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        version, belongs_to, value, timestamp, record_id = json.loads(data, parse_constant=_refuse)
        value = LongText(*value) if isinstance(value, list) else value
        position = Position(value, moments.parse(timestamp), record_id)
        is_valid = version == _VERSION and belongs_to == query and isinstance(record_id, str)
        is_valid = is_valid and not isinstance(value, dict) and write(query, position) == cursor
        is_valid = is_valid and "\0" not in f"{value}{record_id}"  # PostgreSQL cannot store U+0000
    except (ValueError, TypeError, RecursionError) as error:  # base64 and JSON raise ValueErrors
        raise InvalidCursor from error
    if not is_valid:
        raise InvalidCursor
    return position


def _refuse(_: str) -> Any:  # Any: never returns
    raise InvalidCursor
