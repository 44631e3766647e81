"""Read the JSON of a bulk send in one pass with ijson: the rows go to a second file, a line of JSON each.

So the properties may come after the rows, and at most one row is in memory. Source: docs/reference/bulk-sending.md §7.
"""

import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, BinaryIO, Self

import ijson
from ijson import common as ijson_common

from config.rest.strict_json import MAX_DEPTH, MAX_VALUES, Reason, UnreadableJSON

ROWS = "rows"
BLOCK_BYTES = 64 * 1024

Events = Iterator[tuple[str, Any]]  # Any: JSON


@dataclass(slots=True)
class SpooledRows:
    """An array of JSON values in a file, each of them a line."""

    file: BinaryIO = field(default_factory=tempfile.TemporaryFile)

    def __iter__(self) -> Iterator[object]:
        self.file.seek(0)
        return map(json.loads, self.file)


@dataclass(slots=True)
class BulkBody:
    """The JSON value of a body, in a `with` block that closes its file. An array `rows` is a SpooledRows."""

    value: object = None
    rows: SpooledRows = field(default_factory=SpooledRows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.rows.file.close()


def read(file: BinaryIO) -> BulkBody:
    """Return the JSON value of the body. Raises UnreadableJSON."""
    file.seek(0)
    body = BulkBody()
    try:
        events: Events = ijson.basic_parse(file, buf_size=BLOCK_BYTES)
        event, value = next(events)
        if event == "start_map":
            body.value = dict(_properties(events, body.rows))
        else:
            body.value = _Value(events).read(event, value, depth=0)
        for _ in events:  # raises an error for anything after the value
            pass
    except (ijson_common.JSONError, StopIteration, ArithmeticError, ValueError) as error:
        body.rows.file.close()
        raise UnreadableJSON(Reason.NOT_JSON) from error
    except BaseException:
        body.rows.file.close()
        raise
    return body


def _properties(events: Events, rows: SpooledRows) -> Iterator[tuple[str, object]]:
    """Yield the properties up to the end of the object. Of a name that is given twice the last value counts."""
    for event, name in events:
        if event == "end_map":
            return
        event, value = next(events)
        if name == ROWS and event == "start_array":
            _spool_rows(events, rows.file)
            yield name, rows
        else:
            yield name, _Value(events).read(event, value, depth=1)


def _spool_rows(events: Events, file: BinaryIO) -> None:
    file.seek(0)
    file.truncate()
    for event, value in events:
        if event == "end_array":
            return
        row = _Value(events).read(event, value, depth=2)
        file.write(json.dumps(row).encode() + b"\n")


class _Value:
    """Builds one value from events. It refuses values of more than MAX_VALUES parts, which would take much memory."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._parts = 0

    def read(self, event: str, value: Any, *, depth: int) -> object:  # Any: a JSON scalar
        self._parts += 1
        if self._parts > MAX_VALUES:
            raise UnreadableJSON(Reason.TOO_MANY_VALUES)
        if depth >= MAX_DEPTH:
            raise UnreadableJSON(Reason.NOT_JSON)
        if event == "start_array":
            return list(self._items(depth + 1))
        if event == "start_map":
            return dict(self._members(depth + 1))
        return _finite(value) if isinstance(value, Decimal) else value

    def _items(self, depth: int) -> Iterator[object]:
        for event, value in self._events:
            if event == "end_array":
                return
            yield self.read(event, value, depth=depth)

    def _members(self, depth: int) -> Iterator[tuple[str, object]]:
        for event, name in self._events:
            if event == "end_map":
                return
            event, value = next(self._events)
            yield name, self.read(event, value, depth=depth)


def _finite(number: Decimal) -> float:
    """Return the number as Python's JSON parser does. Raises UnreadableJSON if it is too large."""
    value = float(number)
    if not math.isfinite(value):
        raise UnreadableJSON(Reason.NOT_JSON)
    return value
