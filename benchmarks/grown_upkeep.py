"""Measure upkeep and reads with large tables: `python -m benchmarks.grown_upkeep`.

The environment variables ROWS (default 10000000) and MESSAGES (default 5000000) set the number of records of one data
set and of messages of one service over 90 days. It starts and stops its own servers. It prints one JSON line for each
figure: bytes of a row, reads over HTTP, counts, and the clean-up of one night and of four nights under load.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import requests

from benchmarks import records
from benchmarks.frame import load
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, signed, stand
from benchmarks.p4_grown import MESSAGES, ROWS, fill
from tests.notifications.provisioned import Provisioned
from tests.servers import Program

Connection = psycopg.Connection[Any]  # Any: rows of any shape

READS = 15
NIGHTS = (89, 85)  # days that messages are kept, of ninety: removes one night, then four more
BESIDE_CLIENTS = 2
BESIDE_SECONDS = 10
RECORD_DAYS = (1, 30)  # days of the year whose records are removed
START_OF_RECORDS = datetime(2024, 1, 1, tzinfo=UTC)

_SIZES = "SELECT pg_table_size(%(table)s), pg_indexes_size(%(table)s), count(*) FROM {table}"
_RUN = """
SELECT removed, extract(epoch FROM finished_at - started_at)::float8, error FROM operations_retention_run
WHERE rule = %s ORDER BY started_at DESC LIMIT 1
"""


def main(bench: Bench) -> None:
    bench.show_machine()
    with stand(web=2) as it, psycopg.connect(it.postgres.url, autocommit=True) as connection:
        service, data_set = it.provision(retention_days=90), records.make(it)
        fill(it, service, MESSAGES)
        records.fill(it, data_set, ROWS)
        connection.execute("ANALYZE")
        show_sizes(bench, connection)
        show_reads(bench, service, data_set)
        show_counts(bench, it, connection)
        show_messages_go(bench, it, connection, service)
        show_records_go(bench, it, connection, data_set)
    bench.show_table()


def show_sizes(bench: Bench, connection: Connection) -> None:
    for table in ("notifications_notification", "datasets_record"):
        row = connection.execute(_SIZES.format(table=table), {"table": table}).fetchone()
        assert row
        bench.show(f"{table}: bytes of a row", [row[0] / row[2]], "B")
        bench.show(f"{table}: bytes of its index entries", [row[1] / row[2]], "B")
        bench.show(f"{table}: all", [(row[0] + row[1]) / 2**30], "GiB")


def show_reads(bench: Bench, service: Provisioned, data_set: records.Writable) -> None:
    newest = service.request("GET", "/v2/notifications", key_type="live").json()["notifications"]
    month = "start_at=2024-06-01T00:00:00Z&end_at=2024-07-01T00:00:00Z"
    by_day = f"{month}&period=day&group_by=channel"
    of_messages = {
        "one message": f"/v2/notifications/{newest[0]['id']}",
        "list of 250": "/v2/notifications",
        "list of 250, older than one of today": f"/v2/notifications?older_than={newest[-1]['id']}",
        "list by an unused status": "/v2/notifications?status=permanent-failure",
        "list by an unknown reference": "/v2/notifications?reference=nobody",
    }
    of_records = {
        "page of 100 records": f"{data_set.url}?limit=100",
        "page of 100 of a month by channel": f"{data_set.url}?limit=100&{month}&filter_by=channel:kiosk",
        "count of a month by day and channel": f"{data_set.url}?{by_day}",
        "sum of a month by day and channel": f"{data_set.url}?{by_day}&collect=count:sum",
    }
    for name, path in of_messages.items():
        show_read(bench, name, lambda path=path: service.request("GET", path, key_type="live"))  # type: ignore[misc]
    for name, url in of_records.items():
        show_read(bench, name, lambda url=url: requests.get(url, headers=data_set.headers, timeout=60))  # type: ignore[misc]
    show_read(bench, "/metrics", lambda: requests.get(f"{service.url}/metrics", timeout=60))


def show_read(bench: Bench, name: str, read: Callable[[], requests.Response]) -> None:
    taken = []
    for number in range(READS + 1):
        began = time.perf_counter()
        answer = read()
        if number:  # the first read fills the caches of the process
            taken.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200, (name, answer.status_code, answer.text[:300])
    bench.show(name, taken, "ms")


def show_counts(bench: Bench, it: Stand, connection: Connection) -> None:
    """Measure the clock's count of all days that pages show, then the count of today only."""
    connection.execute(
        "INSERT INTO notifications_dailycounter (service_id, day, kind, count)"
        " SELECT service_id, created_at::date, 'sms', count(*) FROM notifications_notification"
        " WHERE created_at > now() - interval '7 days' GROUP BY 1, 2 ON CONFLICT DO NOTHING"
    )
    bench.show("count of eight days, first", [timed(it, "sweep", "counts")], "s")
    bench.show("count of today", [timed(it, "sweep", "counts")], "s")
    bench.show("preview of the old messages", [timed(it, "sweep", "old-messages", "--preview")], "s")


def show_messages_go(bench: Bench, it: Stand, connection: Connection, service: Provisioned) -> None:
    body = json.dumps(
        {
            "template_id": service.templates["text"],
            "personalisation": {"name": "Jo {number}"},
            "phone_number": "07700 900123",
        }
    )
    call = signed(service, "/v2/notifications/sms", method="POST", body=body)
    load.warm_up(call, clients=BESIDE_CLIENTS)
    alone = load.run(call, clients=BESIDE_CLIENTS, seconds=BESIDE_SECONDS)
    bench.show("POST sms without clean-up, p99", [alone.p99_ms], "ms", per_second=round(alone.per_second))
    for kept in NIGHTS:
        connection.execute("UPDATE notifications_service SET retention_days = %s WHERE id = %s", [kept, service.id])
        sweep = started(it, "old-messages")
        waited = []
        while sweep.is_running():
            answers = load.run(call, clients=BESIDE_CLIENTS, seconds=BESIDE_SECONDS)
            if sweep.is_running():
                waited.append(answers)
        show_run(bench, connection, "old-messages", f"messages older than {kept} days")
        if waited:
            per_second = round(statistics.median(one.per_second for one in waited))
            bench.show("POST sms during clean-up, p99", [one.p99_ms for one in waited], "ms", per_second=per_second)


def show_records_go(bench: Bench, it: Stand, connection: Connection, data_set: records.Writable) -> None:
    for days in RECORD_DAYS:
        kept = (datetime.now(UTC) - START_OF_RECORDS - timedelta(days=days)).days
        connection.execute("UPDATE datasets_dataset SET retention_days = %s WHERE id = %s", [kept, data_set.id])
        sweep = started(it, "records-by-age")
        while sweep.is_running():
            time.sleep(0.2)
        show_run(bench, connection, "records-by-age", f"records of {days} days")


def show_run(bench: Bench, connection: Connection, rule: str, what: str) -> None:
    removed, seconds, error = connection.execute(_RUN, [rule]).fetchone() or (0, 0.0, "no run")
    assert not error, error
    bench.show(f"clean-up, {what}: rate", [removed / seconds], "rows/s", removed=removed)
    bench.show(f"clean-up, {what}: time", [seconds], "s")


def started(it: Stand, rule: str) -> Program:
    return it.service.start("sweep", sys.executable, "manage.py", "sweep", rule)


def timed(it: Stand, *words: str) -> float:
    began = time.perf_counter()
    done = it.service.manage(*words)
    assert done.returncode == 0, done.stderr
    return time.perf_counter() - began


if __name__ == "__main__":
    main(Bench(rounds=1))
