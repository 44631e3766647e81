"""The columns of column files, and the column in which a JSON value is stored.

Source: docs/reference/column-files.md §2. Other programs read these files, so the layout does not change.
"""

import json
import math
from collections.abc import Iterable
from typing import Any

import msgspec

WHOLE, DOUBLE, TEXT, OTHER = KINDS = ("whole", "double", "text", "other")
REST = "_rest"
MOST_FIELDS = 500
OWN = {
    "_id": "VARCHAR",
    "_timestamp": "TIMESTAMP",
    "_start_at": "TIMESTAMP",
    "_end_at": "TIMESTAMP",
    "_updated_at": "TIMESTAMP",
}
_TYPES = {WHOLE: "BIGINT", DOUBLE: "DOUBLE", TEXT: "VARCHAR", OTHER: "VARCHAR"}
_INT64 = range(-(2**63), 2**63)
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_encode = msgspec.json.Encoder().encode


def column(kind: str, field: str) -> str:
    """Return the name of a column. The kind comes first, so that no field can have the name of another's column.

    >>> column("whole", "count")
    'whole:count'
    """
    return f"{kind}:{field}"


def field_of(column_name: str) -> str:
    """Return the name of the field in a column.

    >>> field_of("whole:a:b"), field_of("_start_at")
    ('a:b', '_start_at')
    """
    return column_name if column_name in OWN else column_name.partition(":")[2]


def type_of(name: str) -> str:
    """Return the SQL type of a column by its name."""
    if name == REST:
        return "MAP(VARCHAR, VARCHAR)"
    return OWN.get(name) or _TYPES[name.partition(":")[0]]


def kind_of(value: Any) -> str:
    """Return the kind of the column for a value.

    >>> [kind_of(value) for value in (1, 1.0, "1", True, None, [], 2**63, -0.0)]
    ['whole', 'double', 'text', 'other', 'other', 'other', 'other', 'other']
    """
    if isinstance(value, str):
        return TEXT
    if isinstance(value, bool):
        return OTHER
    if isinstance(value, int):
        return WHOLE if value in _INT64 else OTHER
    if isinstance(value, float) and (value or math.copysign(1, value) > 0):
        return DOUBLE
    return OTHER


class Writer:
    """Turns records into lines of JSON with one member for each column, from which DuckDB writes a file.

    columns: the names of the columns that the lines so far have
    lines: their number; longest: the length of the longest one in bytes
    """

    def __init__(self) -> None:
        self.columns: set[str] = set()
        self.lines = self.longest = 0
        self._names: dict[str, str] = {}  # by the name without case, because DuckDB's names have none

    def line(self, own: dict[str, Any], fields: Iterable[tuple[str, Any]]) -> bytes:
        """Return the line of a record. own: values of OWN, moments as texts; fields: names and values."""
        rest: dict[str, str] = {}
        for name, value in fields:
            if self._has_columns(name):
                kind = kind_of(value)
                own[column(kind, name)] = _compact(value) if kind == OTHER else value
            else:
                rest[name] = _compact(value)
        if rest:
            own[REST] = rest
        self.columns.update(own)
        line = _encode(own) + b"\n"
        self.lines += 1
        self.longest = max(self.longest, len(line))
        return line

    def _has_columns(self, name: str) -> bool:
        first = self._names.setdefault(name.casefold(), name) if len(self._names) < MOST_FIELDS else None
        return (first or self._names.get(name.casefold())) == name
