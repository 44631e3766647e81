"""Store and count up to 100 short records with one statement on PostgreSQL. Most writes have that size.

A writer blocks the other writers of its data set until it commits, so no round trip happens in between. The statement
locks the data set before it writes. Outside a transaction, the end of the statement is the commit.
"""

from typing import Any

from django.db import connection

from config.databases.prepared import Statement
from datasets.store.batch import IN_MEMORY, RecordBatch
from datasets.store.rows import SharedColumns, store

_MOST = 100  # records; COPY is faster above this number
_MOST_CHARACTERS = IN_MEMORY  # of all bodies; psycopg needs up to 40 times the size of an array to escape its quotes

_ARRAYS = (
    "unnest(%s::text[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[], %s::text[])"
    ' AS posted(record_id, "timestamp", start_at, end_at, body), locked'
)
_ARRAY_COLUMNS = 'record_id, "timestamp", start_at, end_at, body::json'
# `locked` returns its row once it has the lock, and no record is inserted before. The statement does not see what
# others committed during the wait, but an upsert and an update use the current row. xmax is 0 in a new row.
_LOCKED = """
locked AS (
    SELECT id, COALESCE(current_store, id) AS store_id FROM datasets_dataset
    WHERE id = %s AND (columns_until IS NULL OR %s::boolean) FOR NO KEY UPDATE
),
"""
# Of a data set with segments: only if the earliest record is later than all segments, and replaces no record of one.
_LOCKED_LATER = """
held AS (
    SELECT id, COALESCE(current_store, id) AS store_id, columns_until FROM datasets_dataset
    WHERE id = %s AND columns_until <= %s::timestamptz FOR NO KEY UPDATE
),
known AS (
    SELECT count(*) AS records, count(*) FILTER (WHERE "timestamp" < columns_until) AS in_segments FROM (
        SELECT record."timestamp", columns_until
        FROM held JOIN datasets_record AS record ON data_set_id = store_id AND record_id = ANY(%s::text[])
        FOR NO KEY UPDATE OF record  -- so that the moment is the current one
    ) AS found
),
locked AS (SELECT id, store_id FROM held, known WHERE in_segments = 0),
"""
_COUNTED = f"""
stored AS ({store(_ARRAY_COLUMNS, _ARRAYS, store_id="locked.store_id", is_typed=True)} RETURNING (xmax = 0) AS is_new),
counted AS (SELECT count(*) AS records, count(*) FILTER (WHERE is_new) AS new FROM stored),
"""  # noqa: S608  constant text
# A replaced record that `known` has not seen was stored during the wait for the lock, perhaps in a segment.
_OPENED = """
opened AS (
    UPDATE datasets_segment SET
        is_built = false, file = '', version = version + 1, changed_at = statement_timestamp(),
        opened_at = CASE WHEN is_built THEN statement_timestamp() ELSE opened_at END
    FROM locked, counted, known
    WHERE datasets_segment.store_id = locked.store_id AND counted.records - counted.new > known.records
),
"""
_ADDED = """
day AS (
    INSERT INTO datasets_datasetday (data_set_id, day, writes, records, refused, without_token)
    SELECT id, %s::date, 1, records, 0, 0 FROM counted, locked
    ON CONFLICT (data_set_id, day) DO UPDATE SET
        writes = datasets_datasetday.writes + 1, records = datasets_datasetday.records + excluded.records
)
UPDATE datasets_dataset SET record_count = record_count + counted.new, revision = revision + 1, last_write_at = %s
FROM counted, locked WHERE datasets_dataset.id = locked.id
"""
_STORE_AND_COUNT = Statement(f"WITH {_LOCKED}{_COUNTED}{_ADDED}")
_STORE_LATER = Statement(f"WITH {_LOCKED_LATER}{_COUNTED}{_OPENED}{_ADDED}")


def is_one(batch: RecordBatch) -> bool:
    """Return whether `store_and_count` can store this batch."""
    if connection.vendor != "postgresql":
        return False
    records = batch.begin()
    return len(records) <= _MOST and sum(len(record.body) for record in records) <= _MOST_CHARACTERS


def store_and_count(
    data_set_id: int, batch: RecordBatch, origin: SharedColumns, *, with_segments: bool = False
) -> int | None:
    """Upsert the records, count them, and return their number.

    Return None and store nothing if the data set does not exist, or if it has segments: then the caller locks it, opens
    the segments of the records, and calls again with `with_segments`.
    Raises RecordsRejected, OperationalError.
    """
    return _run(_STORE_AND_COUNT, batch, origin, data_set_id, with_segments)


def store_later(data_set_id: int, batch: RecordBatch, origin: SharedColumns) -> int | None:
    """Upsert records of a data set with segments that are later than all of them, and return their number.

    Return None and store nothing if one is not later, or replaces a record of a segment: then the caller locks the data
    set, as for `store_and_count`. Raises RecordsRejected, OperationalError.
    """
    records = batch.finish()
    least = min(record.timestamp for record in records)
    return _run(_STORE_LATER, batch, origin, data_set_id, least, [record.id for record in records])


def _run(statement: Statement, batch: RecordBatch, origin: SharedColumns, *locked: object) -> int | None:
    records = batch.finish()
    columns: list[Any] = [list(column) for column in zip(*records, strict=True)]  # Any: a value of the column
    is_stored = statement.run(*locked, *origin, *columns, origin.updated_at.date(), origin.updated_at)
    return len(records) if is_stored else None
