"""P6: counts and sums by day and group over a million records, compared with hand-written SQL."""

import time
import urllib.request

import psycopg

from benchmarks import records
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, stand
from benchmarks.records import Writable

RECORDS = 1_000_000
LEAST_OF_SQL = 0.9
BY_HAND = """
SELECT date_trunc('day', timestamp AT TIME ZONE 'UTC'), body ->> 'channel', count(*){more}
FROM datasets_record WHERE data_set_id = %s AND timestamp >= '2024-01-01Z' AND timestamp < '2025-01-01Z' GROUP BY 1, 2
"""
FIGURES = {
    "count": ("", ""),
    "count and sum": ("&collect=count:sum", ", sum((body ->> 'count')::bigint)"),
}


def main(bench: Bench) -> None:
    with stand(web=1, DATABASE_STATEMENT_TIMEOUT_MS="60000") as it:
        data_set = records.make(it)
        records.fill(it, data_set, RECORDS)
        for name, (collect, more) in FIGURES.items():
            url = f"{data_set.url}?period=day&group_by=channel&{records.YEAR}{collect}"
            found = bench.interleave(
                product=lambda url=url: read(data_set, url),  # type: ignore[misc]  # no types for it
                sql=lambda more=more: by_hand(it, data_set, more),  # type: ignore[misc]
            )
            rates = {side: [1 / seconds for seconds in taken] for side, taken in found.items()}
            bench.show(f"P6 {name}", found["product"], "s")
            against = ("hand-written SQL", rates["sql"])
            bench.show(f"P6 {name}, rate", rates["product"], "1/s", against=against, at_least=LEAST_OF_SQL)


def read(data_set: Writable, url: str) -> float:
    started = time.perf_counter()
    with urllib.request.urlopen(urllib.request.Request(url, headers=data_set.headers), timeout=300) as answer:  # noqa: S310  our own
        answer.read()
    return time.perf_counter() - started


def by_hand(it: Stand, data_set: Writable, more: str) -> float:
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        started = time.perf_counter()
        connection.execute(BY_HAND.format(more=more), [data_set.id]).fetchall()  # type: ignore[arg-type]  # a constant query
        return time.perf_counter() - started
