"""P3: POST /data/… in batches of 1 to 10,000 records, fresh and overwriting, small and of 20 fields.

Batches are held against raw COPY of as many such rows into the same table, written out beforehand; single records
against the floor of P1. One writer, since those of one data set take turns; single records also by 8.

The largest batches are the ones with a target, and a round of them is over within a second or two, which is less than
what else the machine does lasts: there are more rounds.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import psycopg

from benchmarks import records
from benchmarks.floor.asking import ID
from benchmarks.frame import load
from benchmarks.frame.bench import Bench
from benchmarks.frame.load import Call
from benchmarks.frame.stand import Stand, stand
from benchmarks.records import Writable

BATCHES = {100: 50, 1_000: 20, 10_000: 5}  # how many of each size in a round
LARGEST = max(BATCHES)
LEAST_OF_COPY = 0.5  # in the largest batches
LEAST_OF_FLOOR = 0.6  # one by one, 8 writers
Record = Callable[[int], dict[str, Any]]


def main(bench: Bench) -> None:
    with stand(web=2) as it:
        for name, record in (("small", records.small), ("20 fields", records.wide)):
            for size, times in BATCHES.items():
                compare(bench, it, f"{name}, batches of {size:,}", record, size, times)
        one_by_one(bench, it)


def compare(bench: Bench, it: Stand, name: str, record: Record, size: int, times: int) -> None:
    written, copied, known = records.make(it), records.make(it), records.make(it)
    again = [[record(number) for number in range(size)] for _ in range(times)]
    post(known, again[:1])
    largest = size == LARGEST
    found = (bench.with_more_rounds() if largest else bench).interleave(
        fresh=lambda: post(written, batches(record, size, times)),
        overwriting=lambda: post(known, again),
        copy=lambda: copy(it, copied, batches(record, size, times)),
    )
    judged = LEAST_OF_COPY if largest else None
    against = ("raw COPY", found["copy"])
    bench.show(f"P3 fresh, {name}", found["fresh"], "records/s", against=against, at_least=judged)
    bench.show(f"P3 overwriting, {name}", found["overwriting"], "records/s", against=against)


def one_by_one(bench: Bench, it: Stand) -> None:
    body = json.dumps({"template_id": "t", "personalisation": {"name": "Jo {number}"}})
    asking = records.make(it)
    like = Call(
        url=asking.url, method="POST", body=json.dumps([records.small(0) | {"_id": ID}]), headers=asking.headers
    )
    floor = it.start_floor(asking_like=like)
    for writers in (1, 8):
        data_set = records.make(it)
        record = json.dumps([records.small(0) | {"_id": "n{number}"}])
        call = Call(url=data_set.url, method="POST", body=record, headers=data_set.headers)
        measures = {
            "product": call,
            "asked": Call(url=f"{floor.url}/asked", method="POST", body=record),
            "floor": Call(url=floor.url, method="POST", body=body),
        }
        for each in measures.values():
            load.warm_up(each, clients=writers)
        found = bench.interleave(
            **{name: partial(_per_second, one, writers, bench.seconds) for name, one in measures.items()}
        )
        judged = LEAST_OF_FLOOR if writers == 8 else None
        against = ("floor", found["floor"])
        bench.show(f"P3 one by one, {writers} writers", found["product"], "req/s", against=against, at_least=judged)
        asked = found["asked"]
        bench.show(f"P3 what it asks of PostgreSQL, alone, {writers} writers", asked, "req/s", against=against)
        against = ("what it asks", asked)
        bench.show(
            f"P3 one by one, {writers} writers, by what it asks alone", found["product"], "req/s", against=against
        )


def batches(record: Record, size: int, times: int) -> list[list[dict[str, Any]]]:
    return [[record(number) for number in islice(records.ids(), size)] for _ in range(times)]


def post(data_set: Writable, given: list[list[dict[str, Any]]]) -> float:
    """Return how many records a second were stored; the bodies are written out before."""
    bodies = [json.dumps(batch).encode() for batch in given]
    connection = data_set.connect()
    started = time.perf_counter()
    for body in bodies:
        connection.request("POST", data_set.url, body, data_set.headers)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b'{"status":"ok"}'), answer.status
    taken = time.perf_counter() - started
    connection.close()
    return sum(map(len, given)) / taken


def copy(it: Stand, data_set: Writable, given: list[list[dict[str, Any]]]) -> float:
    texts = [records.rows(data_set.id, batch) for batch in given]
    with psycopg.connect(it.postgres.url, autocommit=True) as connection, connection.cursor() as cursor:
        started = time.perf_counter()
        for blocks in texts:  # each a transaction of its own, as a POST is
            with cursor.copy(records.COPY) as copying:
                for block in blocks:
                    copying.write(block)
        taken = time.perf_counter() - started
    return sum(map(len, given)) / taken


def _per_second(call: Call, clients: int, seconds: float) -> float:
    return load.run(call, clients=clients, seconds=seconds).per_second
