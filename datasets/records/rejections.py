"""Find all reasons to reject a record. Source: docs/reference/data-sets.md §6, §10."""

import re
from collections.abc import Iterator, Sequence
from math import isfinite

from datasets.records import moments, names
from datasets.records.elements import Oversized

MAX_LEVELS = 32  # a plain value is level 0. Source: docs/reference/data-sets.md §6
MAX_ID_LENGTH = 1_024  # code points. Source: docs/reference/data-sets.md §6
_MAX_ID_BYTES = 2_000  # of UTF-8: an entry of PostgreSQL's index holds 2,704 bytes
_WHITE_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def find(record: object, auto_ids: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    """Yield the field and message of each rejection of one element, in the contract's order.

    Each field has at most one. The field is None if the element is not an object.
    """
    if isinstance(record, Oversized):
        return iter([(None, record.message)])
    if not isinstance(record, dict):
        return iter([(None, "must be an object")])
    return _of_fields(record, auto_ids)


def is_bad_id(value: object) -> str | None:
    """Return why an `_id` is rejected, or None."""
    if not isinstance(value, str):
        return "must be a string"
    if not value:
        return "must not be empty"
    if len(value) > MAX_ID_LENGTH:
        return f"must be at most {MAX_ID_LENGTH} characters"
    if not fits_index(value):
        return f"must be at most {_MAX_ID_BYTES} bytes"
    if _WHITE_OR_CONTROL.search(value):
        return "must not contain white space or control characters"
    return _bad_value(value, 0)


def fits_index(value: str) -> bool:
    return len(value) * 4 <= _MAX_ID_BYTES or len(value.encode(errors="surrogatepass")) <= _MAX_ID_BYTES


def _of_fields(record: dict[str, object], auto_ids: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    if "_timestamp" not in record:
        yield "_timestamp", "is required"
    for name in ("_timestamp", "_id", "_start_at", "_end_at"):
        if name not in record or (name == "_id" and auto_ids):  # with auto_ids, a sent `_id` is ignored
            continue
        if message := is_bad_id(record[name]) if name == "_id" else _bad_moment(record[name]):
            yield name, message
    for name, value in record.items():
        if name in names.MOMENTS or name == "_id" or name in names.COMPUTED:
            continue
        if message := _bad_name_or_value(name, value):
            yield name, message
    for name in auto_ids:
        if name not in record and name != "_timestamp":
            yield name, "is required to make the _id"


def _bad_moment(value: object) -> str | None:
    if not isinstance(value, str):
        return "must be a string"
    try:
        moments.parse(value)
    except moments.NotAMoment as error:
        return error.message
    return None


def _bad_name_or_value(name: str, value: object) -> str | None:
    if name.startswith("_") and _bad_value(value, 0) is None:  # a bad value is reported first
        return "is a reserved name"
    return _bad_value(value, 0) if names.is_field_name(name) else "is not a valid field name"


def _bad_value(value: object, level: int) -> str | None:
    if isinstance(value, str):
        return "contains U+0000 or a lone surrogate" if _UNSTORABLE.search(value) else None
    if isinstance(value, float):
        return None if isfinite(value) else "contains a number that is out of range"
    if isinstance(value, dict | list):
        if level == MAX_LEVELS:
            return f"is nested deeper than {MAX_LEVELS} levels"
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        return next((message for part in inner if (message := _bad_value(part, level + 1))), None)
    return None
