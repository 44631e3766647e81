"""Store a few records and count them by one statement, on PostgreSQL: it is what most writers send.

Whoever has a data set's turn holds up its other writers until the commit: nothing is asked and answered meanwhile that
can be said at once.
"""

from typing import Any

from django.db import connection

from config.inserting import prepared_cursor
from datasets.store.batch import Batch
from datasets.store.rows import Origin, store

_MOST = 100  # records; from about here COPY is the faster of the two

_ARRAYS = (
    "unnest(%s::text[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[], %s::text[])"
    ' AS posted(record_id, "timestamp", start_at, end_at, body)'
)
_ARRAY_COLUMNS = 'record_id, "timestamp", start_at, end_at, body::json'
# A row that an upsert has just made carries no mark of an updater. The data set's row is locked, and seen as it is,
# since the statement before: within one that had to wait for the lock it would be that of before the wait.
_STORE_AND_COUNT = f"""
WITH stored AS ({store(_ARRAY_COLUMNS, _ARRAYS, is_typed=True)} RETURNING (xmax = 0) AS is_new),
counted AS (SELECT count(*) AS records, count(*) FILTER (WHERE is_new) AS new FROM stored),
day AS (
    INSERT INTO datasets_datasetday (data_set_id, day, writes, records, refused, without_token)
    SELECT %s::bigint, %s::date, 1, records, 0, 0 FROM counted
    ON CONFLICT (data_set_id, day) DO UPDATE SET
        writes = datasets_datasetday.writes + 1, records = datasets_datasetday.records + excluded.records
)
UPDATE datasets_dataset SET record_count = record_count + counted.new, revision = revision + 1, last_write_at = %s
FROM counted WHERE id = %s
"""  # noqa: S608  of our own words


def is_one(batch: Batch) -> bool:
    """Say whether this way is the shorter one."""
    return connection.vendor == "postgresql" and len(batch.begin()) <= _MOST


def store_and_count(data_set_id: int, batch: Batch, origin: Origin) -> int:
    """Insert the records, replacing those whose `_id` is there, and count them; return how many they were."""
    records = batch.finish()
    columns: list[Any] = [list(column) for column in zip(*records, strict=True)]  # Any: each column has its own type
    day = origin.updated_at.date()
    shared = [data_set_id, *origin]
    with prepared_cursor(connection) as cursor:
        cursor.execute(_STORE_AND_COUNT, [*shared, *columns, data_set_id, day, origin.updated_at, data_set_id])
    return len(records)
