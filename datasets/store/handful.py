"""Store a few records and count them by one statement, on PostgreSQL: it is what most writers send.

Whoever has a data set's turn holds up its other writers until the commit: nothing is asked and answered meanwhile. The
statement takes the turn by itself, before it writes, and outside of a transaction its end is the commit.
"""

from typing import Any

from django.db import connection, transaction

from config.inserting import prepared_cursor
from datasets.errors import NoSuchDataSet
from datasets.store.batch import Batch
from datasets.store.rows import Origin, store

_MOST = 100  # records; from about here COPY is the faster of the two

_ARRAYS = (
    "unnest(%s::text[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[], %s::text[])"
    ' AS posted(record_id, "timestamp", start_at, end_at, body), turn'
)
_ARRAY_COLUMNS = 'record_id, "timestamp", start_at, end_at, body::json'
# No record is inserted before the row of `turn` is there, and that is once it is locked. What others committed during
# the wait is not seen by this statement, and none of it is asked for: an upsert meets the row that is there now, and so
# does an UPDATE of READ COMMITTED. A row that an upsert has just made carries no mark of an updater.
_STORE_AND_COUNT = f"""
WITH turn AS (SELECT id FROM datasets_dataset WHERE id = %s FOR NO KEY UPDATE),
stored AS ({store(_ARRAY_COLUMNS, _ARRAYS, is_typed=True)} RETURNING (xmax = 0) AS is_new),
counted AS (SELECT count(*) AS records, count(*) FILTER (WHERE is_new) AS new FROM stored),
day AS (
    INSERT INTO datasets_datasetday (data_set_id, day, writes, records, refused, without_token)
    SELECT id, %s::date, 1, records, 0, 0 FROM counted, turn
    ON CONFLICT (data_set_id, day) DO UPDATE SET
        writes = datasets_datasetday.writes + 1, records = datasets_datasetday.records + excluded.records
)
UPDATE datasets_dataset SET record_count = record_count + counted.new, revision = revision + 1, last_write_at = %s
FROM counted, turn WHERE datasets_dataset.id = turn.id
"""  # noqa: S608  of our own words


def is_one(batch: Batch) -> bool:
    """Say whether this way is the shorter one."""
    return connection.vendor == "postgresql" and len(batch.begin()) <= _MOST


def store_and_count(data_set_id: int, batch: Batch, origin: Origin) -> int:
    """Insert the records, replacing those whose `_id` is there, and count them; return how many they were.

    Raises RecordsRefused, NoSuchDataSet, OperationalError.
    """
    records = batch.finish()
    columns: list[Any] = [list(column) for column in zip(*records, strict=True)]  # Any: each column has its own type
    day = origin.updated_at.date()
    shared = [data_set_id, data_set_id, *origin]
    with transaction.mark_for_rollback_on_error(), prepared_cursor(connection) as cursor:
        cursor.execute(_STORE_AND_COUNT, [*shared, *columns, day, origin.updated_at])
        if not cursor.rowcount:
            raise NoSuchDataSet
    return len(records)
