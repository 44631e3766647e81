"""Kill the worker of an import twice, beside callers who write: `python -m benchmarks.faults.killed_imports [rows]`.

The first SIGKILL comes when a third of the rows is stored, the second one when the next worker has stored more. It
passes if the data set then has exactly the rows of the file, none twice, if no process needs more than 150 MiB, and if
99 % of the callers' POSTs take at most 250 ms in each third of a minute, during which the import must run. The time
includes the leases of both killed workers, 2 minutes each. Source: docs/testing.md, A1.

Cases: A1.
"""

import os
import signal
import sys
import time
from contextlib import suppress

import psycopg
import requests

from benchmarks import p12_imports, records
from benchmarks.faults.stand import show, show_machine, wait_for
from benchmarks.frame import load, processes
from benchmarks.frame.load import Call
from benchmarks.frame.stand import Stand, stand
from benchmarks.records import Writable
from tests.servers import Program

KILLS = 2
MOST_MIB = 150
MOST_P99_MS = 250
CALLERS = 2
LOADS, LOAD_SECONDS = 3, 20  # one after the other: a minute, so that hundreds of POSTs decide about the slowest 1 %
_MINUTES = 30  # for each part of the import
_POLL_SECONDS = 0.2


def main(rows: int) -> None:
    show_machine()
    with stand(web=2) as it:
        file = it.folder / "rows.csv"
        p12_imports.write(file, rows)
        imported, other = records.make(it), records.make(it)
        it.service.start("clock", sys.executable, "manage.py", "clock")
        worker, started = start_worker(it), time.monotonic()
        with file.open("rb") as content:
            headers = {**imported.headers, "Content-Type": "text/csv"}
            sent = requests.post(f"{imported.url}/imports", data=content, headers=headers, timeout=300)
        assert sent.status_code == 202, sent.text
        highest, least = [0.0], rows // 3
        for _ in range(KILLS):
            highest.append(follow(it, imported, worker, at_least=least))
            kill(worker)
            least = stored(it, imported) + 1
            show("killed", least - 1, records=count(it, imported), MiB=round(max(highest)))
            worker = start_worker(it)
        highest.append(follow(it, imported, worker, at_least=least))
        loads = [posts(other) for _ in range(LOADS)]
        p99_ms, during = max(one.p99_ms for one in loads), state(it, imported)  # `running`: the import lasted as long
        number = sum(one.requests for one in loads)
        p50_ms = [one.p50_ms for one in loads]
        show("POSTs beside the import", number, p50_ms=p50_ms, p99_ms=[one.p99_ms for one in loads], import_is=during)
        highest.append(follow(it, imported, worker, at_least=rows))
        show("imported", stored(it, imported), seconds=round(time.monotonic() - started), MiB=round(max(highest)))
        check(it, imported, rows)
        assert max(highest) <= MOST_MIB
        assert p99_ms <= MOST_P99_MS
        assert during == "running", "the POSTs lasted longer than the import: import more rows"
        show("passed", True)


def start_worker(it: Stand) -> Program:
    return it.service.start("worker", sys.executable, "manage.py", "worker")


def kill(worker: Program) -> None:
    """Kill a worker with all of its processes, as a machine that fails does."""
    for pid in processes.family(worker.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def follow(it: Stand, imported: Writable, worker: Program, *, at_least: int) -> float:
    """Wait until so many rows are stored. Return the highest memory of a process that works on it, in MiB."""
    began, highest = time.monotonic(), 0.0
    while time.monotonic() < began + _MINUTES * 60:
        with suppress(OSError, StopIteration):
            highest = max([highest, *map(processes.highest_mib, processes.family(worker.pid))])
        if stored(it, imported) >= at_least:
            return highest
        time.sleep(_POLL_SECONDS)
    raise TimeoutError(f"{stored(it, imported)} of {at_least} rows after {_MINUTES} minutes")


def posts(other: Writable) -> load.Answers:
    """Write single records to another data set."""
    body = '[{"_id": "p{number}", "_timestamp": "2024-01-01T00:00:00Z", "n": {number}}]'
    call = Call(url=other.url, method="POST", body=body, headers=other.headers)
    load.warm_up(call, clients=CALLERS)
    return load.run(call, clients=CALLERS, seconds=LOAD_SECONDS)


def _one(it: Stand, statement: str, data_set: Writable) -> int:
    with psycopg.connect(it.postgres.url) as connection:
        found = connection.execute(statement, [data_set.id]).fetchone()
    return int(found[0]) if found else 0


def stored(it: Stand, data_set: Writable) -> int:
    """Return how many rows the import says it has stored."""
    return _one(it, "SELECT stored FROM datasets_dataimport WHERE data_set_id = %s", data_set)


def count(it: Stand, data_set: Writable) -> int:
    return _one(it, "SELECT count(*) FROM datasets_record WHERE data_set_id = %s", data_set)


def check(it: Stand, data_set: Writable, rows: int) -> None:
    """Compare the records with the rows of the file: each has a time of its own."""
    assert wait_for(lambda: state(it, data_set) == "finished", 120) is not None, state(it, data_set)
    times = "SELECT count(DISTINCT timestamp) FROM datasets_record WHERE data_set_id = %s"
    sums = "SELECT sum((body->>'count')::int) FROM datasets_record WHERE data_set_id = %s"
    expected = sum(number * 7919 % 1000 for number in range(rows))
    found = (count(it, data_set), _one(it, times, data_set), _one(it, sums, data_set))
    show("records", found[0], times=found[1], sum=found[2], expected_sum=expected)
    assert found == (rows, rows, expected)


def state(it: Stand, data_set: Writable) -> str:
    with psycopg.connect(it.postgres.url) as connection:
        query = "SELECT state FROM datasets_dataimport WHERE data_set_id = %s"
        found = connection.execute(query, [data_set.id]).fetchone()
    return str(found[0]) if found else ""


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
