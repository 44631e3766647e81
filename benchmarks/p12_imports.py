"""P12: import a CSV file with `manage.py import_records`, compared with COPY of the same records into the same table.

`P12_ROWS` has the number of rows. The time includes the start of the command, its two passes over the file, and the
encryption of the file. The memory is the highest of the command and of its child process, each by itself.
"""

import os
import sys
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import psycopg

from benchmarks import records
from benchmarks.frame import processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, stand
from benchmarks.records import Writable

ROWS = int(os.environ.get("P12_ROWS", "1000000"))
LEAST_OF_COPY = 0.3
MOST_MIB = 150
_POLL_SECONDS = 0.2


def main(bench: Bench) -> None:
    with stand(web=1) as it:
        file = it.folder / "rows.csv"
        write(file, ROWS)
        memory: list[float] = []
        found = bench.interleave(
            imported=lambda: import_file(it, records.make(it), file, memory),
            copied=partial(copy, it, ROWS),
        )
        bench.show(
            f"P12 import of {ROWS:,} rows",
            found["imported"],
            "records/s",
            against=("raw COPY", found["copied"]),
            at_least=LEAST_OF_COPY,
        )
        bench.show("P12 highest memory of one process", memory, "MiB", at_most=MOST_MIB)


def write(file: Path, rows: int) -> None:
    with file.open("w") as target:
        target.write("_timestamp,channel,count,name\n")
        for number in range(rows):
            record = records.small(number)
            at = (records.START + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
            target.write(f"{at},{record['channel']},{record['count']},{record['name']}\n")


def import_file(it: Stand, data_set: Writable, file: Path, memory: list[float]) -> float:
    """Return the stored records per second, and note the highest memory."""
    path = data_set.url.partition("/data/")[2]
    started = time.perf_counter()
    command = it.service.start("import", sys.executable, "manage.py", "import_records", str(file), "--set", path)
    highest = 0.0
    while command.is_running():
        with suppress(OSError, StopIteration):
            highest = max([highest, *map(processes.highest_mib, processes.family(command.pid))])
        time.sleep(_POLL_SECONDS)
    taken = time.perf_counter() - started
    memory.append(highest)
    with psycopg.connect(it.postgres.url) as connection:
        stored = connection.execute("SELECT record_count FROM datasets_dataset WHERE id = %s", [data_set.id]).fetchone()
    assert stored == (ROWS,), stored
    records.remove(it)
    return ROWS / taken


def copy(it: Stand, rows: int) -> float:
    """Return the records per second of one COPY."""
    data_set = records.make(it)
    texts = records.rows(data_set.id, [records.small(number) for number in range(rows)])
    with psycopg.connect(it.postgres.url, autocommit=True) as connection, connection.cursor() as cursor:
        started = time.perf_counter()
        with cursor.copy(records.COPY) as copying:
            for block in texts:
                copying.write(block)
        taken = time.perf_counter() - started
    records.remove(it)
    return rows / taken
