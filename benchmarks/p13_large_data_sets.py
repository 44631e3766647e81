"""P13: the twelve questions over large data sets, beside bare DuckDB over the same files, and the row store.

`P13_RECORDS` has the sizes. Up to `P13_ROWS_AT_MOST` records are stored in PostgreSQL, asked there once, and built by
the product; more are generated straight into column files.
"""

import json
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

import duckdb

from benchmarks import large_data_sets, records
from benchmarks.frame import processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, stand
from benchmarks.records import Writable

ROWS_AT_MOST = int(os.environ.get("P13_ROWS_AT_MOST", "5000000"))
MOST_OF_DUCKDB = 1.5
SECONDS = {5_000_000: 0.5, 100_000_000: 5}
_ALL = "start_at=2021-01-01T00:00:00Z&end_at=2024-01-01T00:00:00Z"
_YEAR = "start_at=2022-01-01T00:00:00Z&end_at=2023-01-01T00:00:00Z"
_IN_YEAR = "_timestamp >= '2022-01-01' AND _timestamp < '2023-01-01'"
_QUANTILES = 'quantile_cont("whole:ms", 0.5), quantile_cont("whole:ms", 0.95)'
# Each question with the same in SQL by hand.
QUESTIONS = {
    "by year": (f"period=year&{_ALL}", "SELECT date_trunc('year', _timestamp), count(*) FROM files GROUP BY 1"),
    "week × page of a year": (
        f"period=week&group_by=page&{_YEAR}&sort_by=_count:descending&limit=150",
        f"SELECT \"text:page\", date_trunc('week', _timestamp), count(*) FROM files WHERE {_IN_YEAR} GROUP BY 1, 2",
    ),
    "distinct users by channel": (
        "group_by=channel&collect=user:distinct",
        'SELECT "text:channel", count(DISTINCT "text:user") FROM files GROUP BY 1',
    ),
    "median and p95 of ms by page": (
        "group_by=page&collect=ms:median&collect=ms:p95",
        f'SELECT "text:page", {_QUANTILES} FROM files GROUP BY 1',
    ),
    "top 10 pages": (
        "group_by=page&sort_by=_count:descending&limit=10",
        'SELECT "text:page", count(*) AS n FROM files GROUP BY 1 ORDER BY n DESC LIMIT 10',
    ),
    "top 10 by sum": (
        "group_by=page&collect=count:sum&sort_by=count:sum:descending&limit=10",
        'SELECT "text:page", sum("whole:count") AS n FROM files GROUP BY 1 ORDER BY n DESC LIMIT 10',
    ),
    "last 7 days": (
        "period=day&start_at=2023-12-24T00:00:00Z&end_at=2023-12-31T00:00:00Z",
        "SELECT date_trunc('day', _timestamp), count(*) FROM files"
        " WHERE _timestamp >= '2023-12-24' AND _timestamp < '2023-12-31' GROUP BY 1",
    ),
    "months of 2 years with a sum": (
        "period=month&start_at=2021-01-01T00:00:00Z&end_at=2023-01-01T00:00:00Z&collect=count:sum",
        "SELECT date_trunc('month', _timestamp), sum(\"whole:count\") FROM files"
        " WHERE _timestamp < '2023-01-01' GROUP BY 1",
    ),
    "days of a year": (
        f"period=day&{_YEAR}",
        f"SELECT date_trunc('day', _timestamp), count(*) FROM files WHERE {_IN_YEAR} GROUP BY 1",
    ),
    "one page by month": (
        f"period=month&filter_by=page:p70&{_ALL}",
        "SELECT date_trunc('month', _timestamp), count(*) FROM files WHERE \"text:page\" = 'p70' GROUP BY 1",
    ),
    "first 1,000 records": ("limit=1000", "SELECT * FROM files ORDER BY _timestamp, _id LIMIT 1000"),
    "the 100 largest ms": (
        "sort_by=ms:descending&limit=100",
        'SELECT _timestamp, _id FROM files ORDER BY "whole:ms" DESC, _timestamp DESC, _id DESC LIMIT 100',
    ),
}
_NEED_ROWS = {"first 1,000 records", "the 100 largest ms"}


def main(bench: Bench) -> None:
    for size in map(int, os.environ.get("P13_RECORDS", "1000000 5000000").split()):
        with stand(web=1, DATABASE_STATEMENT_TIMEOUT_MS="60000") as it:
            _measure(bench, it, size)


def _measure(bench: Bench, it: Stand, size: int) -> None:
    data_set = records.make(it)
    has_rows = size <= ROWS_AT_MOST
    started = time.perf_counter()
    if has_rows:
        large_data_sets.fill_row_store(it.postgres.url, data_set.id, size)
        for name, (question, _) in QUESTIONS.items():
            bench.show(f"P13 {size:,}: {name}, row store", [read(data_set, question)], "s")
        started = time.perf_counter()
        it.service.manage("columns", "build")
    else:
        large_data_sets.generate(it.service.environment, data_set.id, size)
    bench.show(f"P13 {size:,}: files built", [time.perf_counter() - started], "s")
    folder = Path(it.service.environment["VAR_DIR"]) / "files" / "columns"
    files = f"{folder}/{data_set.id}/*.parquet"
    bench.show(f"P13 {size:,}: bytes", [sum(path.stat().st_size for path in folder.glob("*/*.parquet"))], "B")
    bare = duckdb.connect(config={"threads": 2})
    bare.execute(f"CREATE VIEW files AS SELECT * FROM read_parquet('{files}', union_by_name = true)")
    (web,) = processes.children(it.service.web.pid)
    before = processes.resident_mib(web)
    for name, (question, sql) in QUESTIONS.items():
        if name in _NEED_ROWS and not has_rows:
            continue
        read(data_set, question)
        bare.execute(sql).fetchall()
        found = bench.interleave(
            product=lambda question=question: read(data_set, question),  # type: ignore[misc]  # no types for it
            duckdb=lambda sql=sql: by_hand(bare, sql),  # type: ignore[misc]
        )
        figure = f"P13 {size:,}: {name}"
        bench.show(figure, found["product"], "s", at_most=SECONDS.get(size))
        bench.show(
            f"{figure}, ratio", found["product"], "s", against=("DuckDB", found["duckdb"]), at_most=MOST_OF_DUCKDB
        )
    bench.show(f"P13 {size:,}: growth of the web process", [processes.resident_mib(web) - before], "MiB", at_most=10)
    query_processes = [processes.highest_mib(pid) for pid in processes.children(web)]
    bench.show(f"P13 {size:,}: peak of a query process", [max(query_processes, default=0)], "MiB", at_most=512)


def read(data_set: Writable, question: str) -> float:
    started = time.perf_counter()
    request = urllib.request.Request(f"{data_set.url}?{question}", headers=data_set.headers)  # noqa: S310  our own
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310
            answer.read()
    except urllib.error.HTTPError as error:
        print(json.dumps({"question": question, "status": error.code, "answer": error.read(300).decode()}), flush=True)
        return float("nan")
    return time.perf_counter() - started


def by_hand(connection: duckdb.DuckDBPyConnection, sql: str) -> float:
    started = time.perf_counter()
    connection.execute(sql).fetchall()
    return time.perf_counter() - started
