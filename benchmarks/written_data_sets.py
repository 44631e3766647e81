"""Write a data set for an hour, or empty a large one.

    python -m benchmarks.written_data_sets hour | empty [records]

`hour`: the data set gets 100 records a second for an hour, and is asked for all of its records each minute.
`empty`: it has 5 million records, or as many as given. It is emptied and read at once. A day later nothing of it may
be left in the database and the file store.
The clock is simulated: the moments in the database and of the files get older.
Source: docs/reference/column-files.md §3, docs/reference/data-sets.md §9.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from benchmarks import large_data_sets, records
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, stand
from benchmarks.p13_large_data_sets import read
from benchmarks.records import Writable
from tests.servers import ROOT

A_SECOND, MINUTES = 100, 60
BEFORE = 500_000  # records of the set that is written for an hour
AT_ONCE = 1_000
ALL = "group_by=channel&collect=count:sum"
READS = {
    "sum": "collect=count:sum",
    "groups": ALL,
    "first records": "limit=1000",
    "days": "period=day&start_at=2023-12-24T00:00:00Z&end_at=2023-12-31T00:00:00Z",
}
_BUILDER = """
import sys
from datetime import datetime
import time_machine
from datasets.columns import building
for line in sys.stdin:
    with time_machine.travel(datetime.fromisoformat(line.strip())):
        print(building.build_due(3600), flush=True)
"""
_CLEAN_UP = (
    "from datasets import store; from datasets.columns import files; "
    "print(sum(number for _, number in store.delete_emptied()), sum(files.delete_unnamed()))"
)
_A_MINUTE_LATER = """
UPDATE datasets_segment SET changed_at = changed_at - interval '1 minute', opened_at = opened_at - interval '1 minute';
UPDATE datasets_dataset SET last_write_at = last_write_at - interval '1 minute'
"""
_OPEN = """
SELECT (SELECT count(*) FROM datasets_segment WHERE NOT is_built),
       (SELECT count(*) FROM datasets_record)
       - (SELECT coalesce(sum(records), 0) FROM datasets_segment WHERE is_built)
"""


def main(part: str, size: int) -> None:
    bench = Bench(rounds=1)
    bench.show_machine()
    with stand(web=1) as it:
        if part == "hour":
            write_for_an_hour(bench, it)
        else:
            empty(bench, it, size)
    bench.show_table()


def write_for_an_hour(bench: Bench, it: Stand) -> None:
    data_set = records.make(it)
    large_data_sets.fill_row_store(it.postgres.url, data_set.id, BEFORE)
    it.service.manage("columns", "build")
    begins_at = datetime.now(UTC) - timedelta(minutes=MINUTES)
    writes, asks, segments, outside = [], [], [], []
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", _BUILDER]
    with (
        psycopg.connect(it.postgres.url, autocommit=True) as database,
        subprocess.Popen(
            command, cwd=ROOT, env=it.service.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as builder,
    ):
        read(data_set, ALL)
        for minute in range(MINUTES):
            database.execute(_A_MINUTE_LATER)  # the writes of this minute are the last ones when files are built
            first = minute * 60 * A_SECOND
            for number in range(first, first + 60 * A_SECOND, AT_ONCE):
                writes.append(_post(data_set, begins_at, number))
            _build(builder, begins_at + timedelta(minutes=minute + 1))
            ((number_open, not_built),) = database.execute(_OPEN).fetchall()
            segments.append(number_open)
            outside.append(int(not_built))
            asks.append(read(data_set, ALL))
    bench.show(f"write of {AT_ONCE} records", writes, "s")
    bench.show("open segments after each minute", segments, "", at_most=1, most=max(segments))
    bench.show("records in no file after each minute", outside, "", most=max(outside))
    bench.show("question about all records after each minute", asks, "s", at_most=1)
    bench.show("slowest question", [max(asks)], "s", at_most=1)


def empty(bench: Bench, it: Stand, size: int) -> None:
    data_set = records.make(it)
    large_data_sets.fill_row_store(it.postgres.url, data_set.id, size)
    it.service.manage("columns", "build")
    files = Path(it.service.environment["VAR_DIR"]) / "files" / "columns"
    copies = [path for path in Path(it.service.environment["VAR_DIR"]).rglob("*.parquet") if files not in path.parents]
    assert list(files.glob("*/*.parquet"))
    for question in READS.values():
        read(data_set, question)
    bench.show(f"PUT [] of {size:,} records", [_empty(data_set)], "s", at_most=0.2)
    for name, question in READS.items():
        bench.show(f"{name} at once", [read(data_set, question)], "s", at_most=0.05)
    with psycopg.connect(it.postgres.url, autocommit=True) as database:
        ((kept,),) = database.execute("SELECT count(*) FROM datasets_record").fetchall()
        assert kept == size
        database.execute("UPDATE datasets_emptiedstore SET emptied_at = emptied_at - interval '24 hours'")
        for path in files.glob("*/*.parquet"):
            os.utime(path, (0, 0))
        started = time.perf_counter()
        cleaned = it.service.manage("shell", "-v", "0", "-c", _CLEAN_UP)
        assert cleaned.returncode == 0, cleaned.stderr
        bench.show("clean-up a day later", [time.perf_counter() - started], "s")
        ((left,),) = database.execute("SELECT count(*) FROM datasets_record").fetchall()
        ((segments,),) = database.execute("SELECT count(*) FROM datasets_segment").fetchall()
    bench.show("records left", [left], "", at_most=0)
    bench.show("segments left", [segments], "", at_most=0)
    left_files = [*files.glob("*/*.parquet"), *(path for path in copies if path.exists())]
    bench.show("files and local copies left", [len(left_files)], "", at_most=0)


def _post(data_set: Writable, begins_at: datetime, first: int) -> float:
    body = [
        {
            "_id": f"w{number}",
            "_timestamp": (begins_at + timedelta(seconds=number / A_SECOND)).isoformat(),
            "channel": records.CHANNELS[number % 4],
            "count": number % 10,
            "page": f"p{number * 7919 % 2000}",
        }
        for number in range(first, first + AT_ONCE)
    ]
    return _call(data_set, "POST", body)


def _build(builder: "subprocess.Popen[str]", at: datetime) -> None:
    """Build what is due at this moment, as the clock does each minute."""
    assert builder.stdin is not None
    assert builder.stdout is not None
    print(at.isoformat(), file=builder.stdin, flush=True)
    while not (line := builder.stdout.readline()).strip().isdigit():  # others are of its log
        assert line, "the builder has ended"


def _empty(data_set: Writable) -> float:
    return _call(data_set, "PUT", [])


def _call(data_set: Writable, method: str, body: list[dict[str, object]]) -> float:
    sent = json.dumps(body).encode()
    request = urllib.request.Request(data_set.url, data=sent, headers=data_set.headers, method=method)  # noqa: S310
    started = time.perf_counter()
    with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310  our own
        answer.read()
    return time.perf_counter() - started


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5_000_000)
