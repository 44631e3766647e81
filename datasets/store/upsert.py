"""Upsert many records into one store with a constant number of statements.

PostgreSQL: a batch with new ids is copied into the table. If an id exists, the copy is rolled back, and the batch goes
through a temporary table and one upsert. The server stores the first records while the others are validated.
SQLite: each chunk is one JSON text, so that the limit on variables does not apply. All records are validated before the
transaction, which locks the whole file. `handful` stores small batches.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import chain, islice
from typing import Any, NamedTuple

from django.db import IntegrityError, connection, transaction

from config.databases import statements
from datasets.columns import segments
from datasets.records import ParsedRecord
from datasets.store.batch import IN_MEMORY, PART, RecordBatch
from datasets.store.replaced import moments_before
from datasets.store.rows import SharedColumns, store
from datasets.store.write_lock import LockedStore

_SAMPLE = 20  # ids looked up to decide whether a batch is new
_LARGE = 100_000  # characters of a record; in a JSON text, SQLite takes 25 times the size of a record
_SQLITE_CHUNK = 5_000  # records; the JSON text of a chunk has a few megabytes

_POSTED = """
CREATE TEMPORARY TABLE IF NOT EXISTS posted (
    record_id text COLLATE "C", "timestamp" timestamptz, start_at timestamptz, end_at timestamptz, body json
) ON COMMIT DELETE ROWS;
DELETE FROM posted;  -- rows of an earlier batch in the same transaction
"""
_COPY = """
COPY {table} (record_id, "timestamp", start_at, end_at, body{shared}) FROM STDIN
"""
_SHARED_COLUMNS = ", data_set_id, updated_at, token_id, request_id"
_KNOWN_SAMPLE = "SELECT count(*) FROM datasets_record WHERE data_set_id = %s AND record_id = ANY(%s)"
_POSTED_COLUMNS = 'record_id, "timestamp", start_at, end_at, body'
# xmax is 0 in a row that the upsert inserted.
_NEW_ROWS = "WITH stored AS ({store} RETURNING (xmax = 0) AS is_new) SELECT count(*) FROM stored WHERE is_new"

_PARTS_OF_A_COPY = 20  # so that the time limit of a COPY, which includes the validation, stays short
_SECONDS = 5
_RECORDS_A_SECOND = 5_000  # a tenth of an idle machine's; a batch of 100,000 gets 25 s, and a request has 30 s
_NULL = "\x00"  # a placeholder for \N until backslashes are doubled; records cannot contain it

_JSON_COLUMNS = "value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4"
_KNOWN_ROWS = """
SELECT count(*) FROM datasets_record WHERE data_set_id = %s AND record_id IN (SELECT value ->> 0 FROM json_each(%s))
"""


_KNOWN_ONE = "SELECT count(*) FROM datasets_record WHERE data_set_id = %s AND record_id = %s"


class Stored(NamedTuple):
    """The number of stored records, each `_id` counted once, and the number of new ones."""

    records: int
    new: int


def takes_parts() -> bool:
    """Return whether a batch may be validated while it is stored."""
    return connection.vendor == "postgresql"


def upsert(locked: LockedStore, batch: RecordBatch, origin: SharedColumns) -> Stored:
    """Upsert the records by `_id`, and open their segments. Raises RecordsRejected; the caller then rolls back."""
    store_id = locked.id
    if takes_parts():
        return _by_copy(locked, batch, origin)
    records = batch.finish()
    _open_segments(locked, records)
    large = [record for record in records if len(record.body) > _LARGE]
    chunks = (record for record in records if len(record.body) <= _LARGE)
    new = sum(_from_parameters(store_id, record, origin) for record in large)
    parts = iter(lambda: [*islice(chunks, _SQLITE_CHUNK)], [])
    return Stored(len(records), new + sum(_from_json(store_id, part, origin) for part in parts))


def _open_segments(locked: LockedStore, records: Sequence[ParsedRecord]) -> None:
    if locked.columns_until is not None:
        replaced = moments_before(locked, [record.id for record in records])
        segments.open_at(locked.id, locked.columns_until, chain(replaced, (record.timestamp for record in records)))


def _by_copy(locked: LockedStore, batch: RecordBatch, origin: SharedColumns) -> Stored:
    """Copy or upsert the records. Each statement of a large batch has a time limit that grows with its records."""
    first = batch.begin()
    if batch.is_whole:
        return _copy_or_upsert(locked, batch, first, origin)
    with statements.allowed(_seconds(_PARTS_OF_A_COPY * PART)):
        return _copy_or_upsert(locked, batch, first, origin)


def _seconds(records: int) -> int:
    return _SECONDS + records // _RECORDS_A_SECOND


def _copy_or_upsert(
    locked: LockedStore, batch: RecordBatch, first: Sequence[ParsedRecord], origin: SharedColumns
) -> Stored:
    store_id = locked.id
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN_SAMPLE, [store_id, [record.id for record in first[:: 1 + len(first) // _SAMPLE]]])
        if _first_number(cursor) == 0:
            try:
                with transaction.atomic():  # a savepoint, because an id outside the sample may exist
                    copied = _copy(cursor, "datasets_record", batch.parts(), shared=(store_id, *origin))
                if locked.columns_until is not None:
                    moments = (record.timestamp for part in batch.parts() for record in part)
                    segments.open_at(locked.id, locked.columns_until, moments)
                return Stored(copied, copied)
            except IntegrityError:
                pass
        cursor.execute(_POSTED)
        copied = _copy(cursor, "posted", batch.parts())
        standing = batch.finish()
        if len(standing) < copied:
            cursor.execute(_POSTED)
            _copy(cursor, "posted", [standing])
        _open_segments(locked, standing)
        with nullcontext() if len(first) < PART else statements.allowed(_seconds(len(standing))):
            cursor.execute(_NEW_ROWS.format(store=store(_POSTED_COLUMNS, "posted")), [store_id, *origin])
        return Stored(len(standing), _first_number(cursor))


def _copy(cursor: Any, table: str, parts: Iterable[Sequence[ParsedRecord]], *, shared: Sequence[object] = ()) -> int:
    """Send the rows in COPY's text format and return their number.

    Only backslashes are escaped, because no id and no body contains a tab or a line end.
    """
    end = "".join(f"\t{_NULL if value is None else value}" for value in shared) + "\n"
    statement = _COPY.format(table=table, shared=_SHARED_COLUMNS if shared else "")
    count = 0
    some = iter(parts)
    while part := next(some, None):
        with (
            connection.wrap_database_errors,
            cursor.copy(statement) as copy,
        ):  # Django does not wrap copy()
            for each in chain([part], islice(some, _PARTS_OF_A_COPY - 1)):
                count += len(each)
                for few in _in_memory(each):
                    lines = [
                        f"{record_id}\t{timestamp}\t{start_at or _NULL}\t{end_at or _NULL}\t{body}{end}"
                        for record_id, timestamp, start_at, end_at, body in few
                    ]
                    copy.write("".join(lines).replace("\\", "\\\\").replace(_NULL, "\\N"))
    return count


def _in_memory(records: Sequence[ParsedRecord]) -> Iterator[list[ParsedRecord]]:
    """Yield the records in lists of about IN_MEMORY characters, or of one longer record."""
    few: list[ParsedRecord] = []
    characters = 0
    for record in records:
        characters += len(record.body)
        if few and characters > IN_MEMORY:
            yield few
            few, characters = [], len(record.body)
        few.append(record)
    if few:
        yield few


def _from_parameters(store_id: int, record: ParsedRecord, origin: SharedColumns) -> int:
    moments = map(_for_sqlite, (record.timestamp, record.start_at, record.end_at))
    before, after = _shared(store_id, origin)
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN_ONE, [store_id, record.id])
        known = _first_number(cursor)
        columns = [record.id, *moments, str(record.body)]
        cursor.execute(store("%s, %s, %s, %s, %s", "(SELECT 1) WHERE true"), [*before, *columns, *after])
    return 1 - known


def _shared(store_id: int, origin: SharedColumns) -> tuple[list[Any], list[Any]]:
    """Return the parameters before and after those of the record. Any: values of columns"""
    updated_at = connection.ops.adapt_datetimefield_value(origin.updated_at)
    return [store_id], [updated_at, origin.token_id, origin.request_id.hex if origin.request_id else None]


def _from_json(store_id: int, records: Sequence[ParsedRecord], origin: SharedColumns) -> int:
    rows = [
        (
            record.id,
            _for_sqlite(record.timestamp),
            _for_sqlite(record.start_at),
            _for_sqlite(record.end_at),
            str(record.body),
        )
        for record in records
    ]
    text = json.dumps(rows, ensure_ascii=False)
    before, after = _shared(store_id, origin)
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN_ROWS, [store_id, text])
        known = _first_number(cursor)
        # Without `WHERE true`, SQLite reads ON CONFLICT as the ON of a join.
        cursor.execute(store(_JSON_COLUMNS, "json_each(%s) WHERE true"), [*before, *after, text])
    return len(records) - known


def _for_sqlite(moment: str | None) -> str | None:
    """Return the text format of Django's datetimes on SQLite."""
    return moment and moment.removesuffix("Z").replace("T", " ")


def _first_number(cursor: Any) -> int:  # Any: each database has its own cursor class
    return int(cursor.fetchone()[0])
