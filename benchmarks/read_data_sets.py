"""Read a data set of many records: `python -m benchmarks.read_data_sets [records]` on the database of DATABASE_URL.

One JSON line for each figure. The aggregate is held against the same one as hand-written SQL, in the same run, in
rounds that take turns; figures are medians with their least and greatest. The data set is made anew and removed.
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

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402  Django must be set up first
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from datasets import records, store, tokens  # noqa: E402
from datasets.models import DataGroup, DataSet, DataType, Record  # noqa: E402

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
    settings.ALLOWED_HOSTS = ["testserver"]
    logging.disable(logging.CRITICAL)
    group, type = (model.objects.get_or_create(name="benchmark")[0] for model in (DataGroup, DataType))
    data_set = DataSet.objects.create(group=group, type=type, public=True)
    try:
        fill(data_set, count)
        show("machine", platform.platform(), python=platform.python_version(), commit=commit(), database=version())
        path = "/data/benchmark/benchmark"
        aggregate = f"{path}?period=day&group_by=channel&{SPAN}"
        compare("day by group", lambda: get(aggregate), lambda: by_hand(data_set.pk))
        compare("the same with a sum", lambda: get(f"{aggregate}&collect=count:sum"), lambda: by_hand(data_set.pk, SUM))
        alone("filtered page of 100", lambda: get(f"{path}?filter_by=channel:kiosk&limit=100"))
        alone("page sorted by a field", lambda: get(f"{path}?sort_by=count:descending&limit=100"), rounds=1)
        for form in ("csv", "ndjson"):
            export(form, f"{path}?format={form}")
    finally:
        Record.objects.filter(data_set=data_set)._raw_delete("default")
        tokens.AccessToken.objects.filter(data_set=data_set).delete()
        data_set.delete()


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
        store.append(data_set.pk, records.parse(batch, auto_ids=()))
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


def export(form: str, path: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    size = get(path)
    taken = round(time.perf_counter() - started, 2)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    show(f"export as {form}", taken, unit="s", megabytes=round(size / 1e6), memory_grown_mib=round(grown, 1))


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
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
