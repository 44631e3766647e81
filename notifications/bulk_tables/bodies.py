"""Read the JSON body of a bulk send in a limited process. Its table goes to a second file, a line of JSON for each row.

So no body ends or delays the process of other callers, and at most one row is in the memory of the web process.
Source: docs/reference/bulk-sending.md §7; docs/reference/security.md §14.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Self

import msgspec

from config import limited
from config.limited import ProcessLimits, TookTooLong, TooLarge
from config.rest import strict_json
from config.rest.strict_json import MAX_DEPTH, JsonReason, UnreadableJSON
from notifications.bulk_tables import tables
from notifications.bulk_tables.tables import Table, UnreadableTable
from notifications.bulk_tables.written import read_table, write_table

LIMITS = ProcessLimits(cpu_seconds=10, seconds=30)
ROWS, CSV = "rows", "csv"

_BEGINS = {ROWS: b"[", CSV: b'"'}


@dataclass(slots=True)
class SentTable:
    """The table of a body. error: why it cannot be read"""

    file: BinaryIO = field(default_factory=tempfile.TemporaryFile)
    error: UnreadableTable | None = None

    def open(self) -> Table:
        """Return the table. Raises Unreadable."""
        if self.error:
            raise self.error
        return read_table(self.file)


@dataclass(slots=True)
class BulkBody:
    """The JSON value of a body, in a `with` block that closes its file.

    An array `rows` or a text `csv` is a SentTable.
    """

    value: object = None
    table: SentTable = field(default_factory=SentTable)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.table.file.close()


def read(file: BinaryIO) -> BulkBody:
    """Return the JSON value of the body. Raises UnreadableJSON."""
    body = BulkBody()
    try:
        body.value, given, body.table.error = limited.run(_read, limits=LIMITS, files=(file, body.table.file))
    except (TooLarge, TookTooLong) as error:
        body.table.file.close()
        raise UnreadableJSON(JsonReason.TOO_MANY_VALUES) from error
    except UnreadableJSON:
        body.table.file.close()
        raise
    if isinstance(body.value, dict):
        body.value |= dict.fromkeys(given, body.table)
    return body


def _read(file: BinaryIO, rows: BinaryIO) -> tuple[object, list[str], UnreadableTable | None]:
    """Return the value, the names of properties that are tables, and why the table cannot be read.

    The parts of the value are parsed one after another. Raises UnreadableJSON.
    """
    file.seek(0)
    data = file.read()
    if strict_json.is_deep(data, max_depth=MAX_DEPTH):
        raise UnreadableJSON(JsonReason.NOT_JSON)
    try:
        parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _value(data), [], None
    given = [name for name in (ROWS, CSV) if name in parts and memoryview(parts[name])[:1] == _BEGINS[name]]
    value = {name: _value(part) for name, part in parts.items() if name not in given}
    try:
        if given == [ROWS]:
            write_table(tables.from_json(_rows(parts[ROWS])), rows)
        elif given == [CSV]:
            write_table(tables.from_csv(str(_value(parts[CSV]))), rows)
    except UnreadableTable as error:
        return value, given, error
    return value, given, None


def _rows(part: msgspec.Raw) -> Iterator[object]:
    return map(_value, msgspec.json.decode(part, type=list[msgspec.Raw]))


def _value(data: bytes | msgspec.Raw) -> object:
    return strict_json.loads(bytes(data), skip_mark=False, storable=True)
