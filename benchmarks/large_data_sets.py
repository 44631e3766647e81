"""Generate large data sets, the same for each run: in the row store, or straight into column files.

`fill_column_files` runs in the product (`manage.py shell`), because segments and files belong to it.
"""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from tests.servers import ROOT

START = datetime(2021, 1, 1, tzinfo=UTC)
YEARS = timedelta(days=3 * 365)
_SEGMENT = 250_000
_AT_ONCE = 500_000

_FILL = """
INSERT INTO datasets_record (data_set_id, record_id, timestamp, body, updated_at)
SELECT %(id)s, 'r' || to_char(n, 'FM000000000'),
       timestamptz '2021-01-01Z' + n * (interval '1095 days' / %(count)s),
       ('{"page":"p' || n * 7919 %% 2000 || '","channel":"' || (ARRAY['web', 'phone', 'post', 'app'])[n * 31 %% 4 + 1]
        || '","status":' || (ARRAY['200', '"404"', 'null', 'true'])[n * 13 %% 4 + 1] || ',"count":' || n * 17 %% 10
        || ',"ms":' || n * 104729 %% 10007 || ',"user":"u' || n * 15485863 %% 1000000 || '"}')::json, now()
FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n
"""
_COLUMNS = """
SELECT 'r' || lpad(n::VARCHAR, 9, '0') AS _id,
       TIMESTAMP '2021-01-01' + to_microseconds(n * {step}) AS _timestamp, TIMESTAMP '2026-01-01' AS _updated_at,
       'p' || n * 7919 % 2000 AS "text:page", ['web', 'phone', 'post', 'app'][n * 31 % 4 + 1] AS "text:channel",
       [200, NULL, NULL, NULL][n * 13 % 4 + 1]::BIGINT AS "whole:status",
       [NULL, '404', NULL, NULL][n * 13 % 4 + 1] AS "text:status",
       [NULL, NULL, 'null', 'true'][n * 13 % 4 + 1] AS "other:status",
       n * 17 % 10 AS "whole:count", n * 104729 % 10007 AS "whole:ms",
       'u' || n * 15485863 % 1000000 AS "text:user"{more}
FROM range({first}, {last}) AS numbers(n)
"""


def fill_row_store(url: str, data_set_id: int, records: int) -> None:
    """Store records without the product, and update its count of them."""
    with psycopg.connect(url, autocommit=True) as connection:
        for first in range(0, records, _AT_ONCE):
            last = min(first + _AT_ONCE, records) - 1
            connection.execute(_FILL, {"id": data_set_id, "count": records, "first": first, "last": last})
        connection.execute("UPDATE datasets_dataset SET record_count = %s WHERE id = %s", [records, data_set_id])
        connection.execute("VACUUM ANALYZE datasets_record")


def generate(environment: dict[str, str], data_set_id: int, records: int, *, more: str = "") -> None:
    """Run `fill_column_files` in the product of this environment: 100 million records take minutes."""
    filling = f"large_data_sets.fill_column_files({data_set_id}, {records}, more={more!r})"
    command = [sys.executable, "manage.py", "shell", "-c", f"from benchmarks import large_data_sets; {filling}"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


def fill_column_files(data_set_id: int, records: int, *, more: str = "") -> None:
    """Write the files and segments of a data set whose records are in no row store.

    more: SQL of further columns, such as `, n AS "whole:number"`
    """
    import duckdb

    from datasets.columns import files
    from datasets.models import EARLIEST, DataSet, Segment

    step = int(YEARS.total_seconds() * 1_000_000) // records
    starts_at = EARLIEST
    for first in range(0, records, _SEGMENT):
        last = min(first + _SEGMENT, records)
        path = Path(files.cache_folder()) / "generated.parquet"
        selected = _COLUMNS.format(step=step, first=first, last=last, more=more)
        names = [name for name, *_ in duckdb.sql(f"DESCRIBE {selected}").fetchall()]
        duckdb.sql(f"COPY ({selected}) TO '{path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 61440)")
        size = path.stat().st_size
        # The borders are whole seconds; the few records of the second before are in the earlier segment.
        ends_at = (START + timedelta(microseconds=step * last)).replace(microsecond=0) + timedelta(seconds=1)
        Segment.objects.create(
            store_id=data_set_id,
            starts_at=starts_at,
            ends_at=ends_at,
            is_built=True,
            file=files.save(path, data_set_id),
            columns=names,
            records=last - first,
            size_bytes=size,
        )
        starts_at = ends_at
    DataSet.objects.filter(pk=data_set_id).update(record_count=records, columns_until=starts_at)
