"""Measure reads of a large data set: `python -m benchmarks.read_data_sets [records]` on the database of DATABASE_URL.

It prints one JSON line for each figure with median, minimum and maximum. The aggregate is compared with hand-written
SQL in alternating rounds. The data set is created for the run and deleted afterwards.
"""

import json
import logging
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import django
import structlog

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402  Django must be set up first
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from datasets import records, store, tokens  # noqa: E402
from datasets.models import DataGroup, DataSet, DataType  # noqa: E402

ROUNDS = 5
BATCH = 10_000
CHANNELS = ("web", "phone", "post", "desk", "app", "kiosk", "fax", "chat")
START = datetime(2024, 1, 1, tzinfo=UTC)
SPAN = "start_at=2024-01-01T00:00:00Z&end_at=2025-01-01T00:00:00Z"
SUM = ", sum(CAST(body ->> 'count' AS bigint))"
BY_HAND = {
    "postgresql": """
        SELECT date_trunc('day', "timestamp" AT TIME ZONE 'UTC'), body ->> 'channel', count(*){more}
        FROM datasets_record WHERE data_set_id = %s AND "timestamp" >= '2024-01-01Z' AND "timestamp" < '2025-01-01Z'
        GROUP BY 1, 2""",
    "sqlite": """
        SELECT substr("timestamp", 1, 10), body ->> 'channel', count(*){more}
        FROM datasets_record WHERE data_set_id = %s AND "timestamp" >= '2024-01-01' AND "timestamp" < '2025-01-01'
        GROUP BY 1, 2""",
}


def main(count: int) -> None:
    prepare()
    group, type = (model.objects.get_or_create(name="benchmark")[0] for model in (DataGroup, DataType))
    data_set = DataSet.objects.create(group=group, type=type, public=True)
    try:
        fill(data_set, count)
        measure(data_set)
    finally:
        data_set.records._raw_delete("default")
        tokens.AccessToken.objects.filter(data_set=data_set).delete()
        data_set.delete()


def prepare() -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    logging.disable(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def measure(data_set: DataSet) -> None:
    show("machine", platform.platform(), python=platform.python_version(), commit=commit(), database=version())
    path = f"/data/{data_set}"
    aggregate = f"{path}?period=day&group_by=channel&{SPAN}"
    compare("day by group", lambda: get(aggregate), lambda: by_hand(data_set.pk))
    compare("the same with a sum", lambda: get(f"{aggregate}&collect=count:sum"), lambda: by_hand(data_set.pk, SUM))
    alone("filtered page of 100", lambda: get(f"{path}?filter_by=channel:kiosk&limit=100"))
    alone("page sorted by a number", lambda: get(f"{path}?sort_by=count:descending&limit=100"), rounds=3)
    alone("page sorted by a text", lambda: get(f"{path}?sort_by=name:ascending&limit=100"), rounds=3)
    alone("page sorted by _updated_at", lambda: get(f"{path}?sort_by=_updated_at:ascending&limit=100"), rounds=3)
    for question in ("format=csv", "format=ndjson", "format=ndjson&sort_by=count:descending"):
        # In its own process, because memory that an earlier figure has freed would hide the growth.
        subprocess.run([sys.executable, "-m", "benchmarks.read_data_sets", "export", f"{path}?{question}"], check=True)


def fill(data_set: DataSet, count: int) -> None:
    step = timedelta(days=366) / count
    for first in range(0, count, BATCH):
        batch = [
            {
                "_timestamp": (START + n * step).isoformat(),
                "_id": f"r{n:09}",
                "channel": CHANNELS[n % len(CHANNELS)],
                "count": n * 7919 % 1000,
                "name": f"office {n % 97}",
            }
            for n in range(first, min(first + BATCH, count))
        ]
        store.append(data_set.pk, records.check(batch, auto_ids=()))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE datasets_record")


def get(path: str) -> int:
    answer: Any = Client().get(path)
    assert answer.status_code == 200, answer.content
    blocks: Iterator[bytes] = answer.streaming_content if answer.streaming else iter([answer.content])
    return sum(map(len, blocks))


def by_hand(data_set_id: int, more: str = "") -> None:
    with connection.cursor() as cursor:
        cursor.execute(BY_HAND[connection.vendor].format(more=more), [data_set_id])
        cursor.fetchall()


def compare(figure: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
    mine, hand = ([pair[side] for pair in pairs] for side in (0, 1))
    ratio = round(statistics.median(hand) / statistics.median(mine), 2)
    show(figure, **spread(mine), ratio_to=f"hand-written SQL, {statistics.median(hand):.3f} s", ratio=ratio)


def alone(figure: str, ours: Callable[[], object], rounds: int = ROUNDS) -> None:
    show(figure, **spread([seconds(ours) for _ in range(rounds)]))


def export(path: str) -> None:
    """Measure the memory before the request and after every block."""
    prepare()
    get("/_status")
    before = most = resident_mib()
    started, size = time.perf_counter(), 0
    answer: Any = Client().get(path)
    for block in answer.streaming_content:
        size += len(block)
        most = max(most, resident_mib())
    taken = round(time.perf_counter() - started, 2)
    question = path.partition("?")[2]
    show(f"export, {question}", taken, unit="s", megabytes=round(size / 1e6), memory_grown_mib=round(most - before, 1))


def resident_mib() -> float:
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize() / 2**20


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def spread(taken: list[float]) -> dict[str, object]:
    return {
        "value": round(statistics.median(taken), 4),
        "unit": "s",
        "min": round(min(taken), 4),
        "max": round(max(taken), 4),
    }


def show(figure: str, value: object = None, **more: object) -> None:
    print(json.dumps({"figure": figure, **({} if value is None else {"value": value}), **more}), flush=True)


def commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()


def version() -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT version()" if connection.vendor == "postgresql" else "SELECT 'SQLite ' || sqlite_version()"
        )
        return str(cursor.fetchone()[0]).split(" (")[0]


if __name__ == "__main__":
    if sys.argv[1:2] == ["export"]:
        export(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
