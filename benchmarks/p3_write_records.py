"""P3: POST /data/… in batches of 1 to 10,000 records: new and existing ids, small records and records of 20 fields.

Batches are compared with a raw COPY of the same prepared rows into the same table, single records with the floor of P1.
There is one writer, because writers of one data set wait for each other. Single records have 8 writers, too.

Only the largest batches have a target. Their rounds take a second or two, which other work on the machine distorts, so
there are more rounds.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import psycopg

from benchmarks import records
from benchmarks.floor.replay import ID
from benchmarks.frame import load
from benchmarks.frame.bench import Bench
from benchmarks.frame.load import Call
from benchmarks.frame.stand import Stand, stand
from benchmarks.records import Writable

BATCHES = {100: 50, 1_000: 20, 10_000: 5}  # size → number of batches in a round
LARGEST = max(BATCHES)
LEAST_OF_COPY = 0.55  # for the largest batches
LEAST_OF_QUERIES = 0.75  # one by one, 8 writers
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
    recorded = records.make(it)
    like = Call(
        url=recorded.url, method="POST", body=json.dumps([records.small(0) | {"_id": ID}]), headers=recorded.headers
    )
    floor = it.start_floor(same_queries_as=like)
    for writers in (1, 8):
        data_set = records.make(it)
        record = json.dumps([records.small(0) | {"_id": "n{number}"}])
        call = Call(url=data_set.url, method="POST", body=record, headers=data_set.headers)
        measures = {
            "product": call,
            "queries": Call(url=f"{floor.url}/queries", method="POST", body=record),
            "floor": Call(url=floor.url, method="POST", body=body),
        }
        for each in measures.values():
            load.warm_up(each, clients=writers)
        found = bench.interleave(
            **{name: partial(_per_second, one, writers, bench.seconds) for name, one in measures.items()}
        )
        judged = LEAST_OF_QUERIES if writers == 8 else None
        against = ("floor", found["floor"])
        bench.show(f"P3 one by one, {writers} writers", found["product"], "req/s", against=against)
        queries = found["queries"]
        bench.show(f"P3 its queries, {writers} writers", queries, "req/s", against=against)
        against = ("its queries", queries)
        figure = f"P3 one by one, {writers} writers, share of its queries"
        bench.show(figure, found["product"], "req/s", against=against, at_least=judged)


def batches(record: Record, size: int, times: int) -> list[list[dict[str, Any]]]:
    return [[record(number) for number in islice(records.ids(), size)] for _ in range(times)]


def post(data_set: Writable, given: list[list[dict[str, Any]]]) -> float:
    """Return the stored records per second. The bodies are prepared before."""
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
        for blocks in texts:  # each in its own transaction, like a POST
            with cursor.copy(records.COPY) as copying:
                for block in blocks:
                    copying.write(block)
        taken = time.perf_counter() - started
    return sum(map(len, given)) / taken


def _per_second(call: Call, clients: int, seconds: float) -> float:
    return load.run(call, clients=clients, seconds=seconds).per_second
