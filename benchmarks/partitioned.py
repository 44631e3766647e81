"""Compare the table of messages with one that is partitioned by month: `python -m benchmarks.partitioned`.

The environment variable MESSAGES (default 5000000) sets the number of messages over a year. Both tables have the same
columns and indexes; the partitions are the months of `created_at`. The product has no partitions: these figures are the
base of the plan in docs/scaling.md. It prints one JSON line for each figure.
"""

import itertools
import time
from collections.abc import Callable
from typing import Any

import psycopg

from benchmarks import p4_grown
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import stand

DAYS = 365
LAST = 13  # the number of the oldest partition; 0 is next month
TIMES = 2_000  # runs of each statement in a round
A_BATCH = 1_000

Connection = psycopg.Connection[Any]  # Any: rows of any shape

PLAIN, PARTED = "notifications_notification", "parted"
_MAKE = r"""
CREATE TABLE parted (LIKE notifications_notification INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)
PARTITION BY RANGE (created_at);
DO $$ BEGIN FOR n IN -1..12 LOOP
  EXECUTE format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES FROM (%L) TO (%L)', n + 1,
    date_trunc('month', now()) - n * interval '1 month', date_trunc('month', now()) - (n - 1) * interval '1 month');
END LOOP; END $$;
ALTER TABLE parted ADD PRIMARY KEY (id, created_at);
DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT indexdef FROM pg_indexes
  WHERE tablename = 'notifications_notification' AND indexname NOT LIKE '%pkey' LOOP
    EXECUTE regexp_replace(one.indexdef, 'INDEX (\S+) ON (\S+)', 'INDEX parted_\1 ON parted');
  END LOOP;
END $$;
INSERT INTO parted SELECT * FROM notifications_notification;
"""
_ONE = "SELECT * FROM {table} WHERE id = %(id)s"
_OF_ITS_MONTH = " AND created_at >= %(first)s AND created_at < %(after)s"
_LIST = """
SELECT * FROM {table} WHERE service_id = %(service)s AND key_type = 'live' ORDER BY created_at DESC, id DESC LIMIT 250
"""
_INSERT = """
INSERT INTO {table} (id, service_id, template_id, key_type, origin, created_by, request_id, channel, template_version,
    recipient, normalised_recipient, body, unsubscribe_link, parts, rate_multiplier, is_international, status,
    created_at, due_at, next_attempt_at, attempt, failed_attempts, attempts, provider, provider_reference, receipts)
VALUES (gen_random_uuid(), %(service)s, %(template)s, 'live', 'api', '', '', 'sms', 1,
    '447700900123', '447700900123', 'Hi Jo, your table is ready.', false, 1, 1, false, 'created',
    now(), now(), now(), 0, 0, '[]', '', '', '[]')
"""
_BATCH = """
DELETE FROM notifications_notification WHERE id IN (
    SELECT id FROM notifications_notification
    WHERE service_id = %(service)s AND key_type = 'live' AND created_at < %(after)s
    ORDER BY created_at, id LIMIT 1000)
"""
_KNOWN = """
SELECT id, date_trunc('month', created_at), date_trunc('month', created_at) + interval '1 month'
FROM notifications_notification ORDER BY random() LIMIT %s
"""


def main(bench: Bench) -> None:
    bench.show_machine()
    with stand(web=1) as it, psycopg.connect(it.postgres.url, autocommit=True) as connection:
        service = it.provision()
        p4_grown.fill(it, service, p4_grown.MESSAGES, DAYS)
        began = time.perf_counter()
        connection.execute(_MAKE)
        connection.execute(f"VACUUM ANALYZE {PARTED}")
        bench.show("copy into partitions, with its indexes", [time.perf_counter() - began], "s")
        known = connection.execute(_KNOWN, [TIMES]).fetchall()
        one_service = {"service": service.id, "template": service.templates["text"]}
        rows = [{"id": id, "first": first, "after": after} for id, first, after in known]
        compare(bench, connection, "SELECT one message by its id", _ONE, rows)
        compare(bench, connection, "SELECT one message by its id and month", _ONE, rows, parted=_ONE + _OF_ITS_MONTH)
        compare(bench, connection, "SELECT a list of 250", _LIST, [one_service] * (TIMES // 20))
        compare(bench, connection, "INSERT one message", _INSERT, [one_service] * TIMES)
        show_a_month_goes(bench, connection, service.id)
    bench.show_table()


def compare(
    bench: Bench, connection: Connection, figure: str, plain: str, given: list[dict[str, Any]], parted: str = ""
) -> None:
    def mean_ms(statement: str) -> float:
        began = time.perf_counter()
        for values in given:
            connection.execute(statement, values, prepare=True)
        return (time.perf_counter() - began) * 1000 / len(given)

    measures: dict[str, Callable[[], float]] = {
        "parted": lambda: mean_ms((parted or plain).format(table=PARTED)),
        "plain": lambda: mean_ms(plain.format(table=PLAIN)),
    }
    found = bench.interleave(**measures)
    bench.show(f"{figure}, in partitions", found["parted"], "ms", against=("one table", found["plain"]))


def show_a_month_goes(bench: Bench, connection: Connection, service: str) -> None:
    """Measure the deletion of the oldest month, which is incomplete, and of the next one, from both tables."""
    for number in (LAST, LAST - 1):
        child = f"{PARTED}_{number}"
        after, count = connection.execute(f"SELECT max(created_at), count(*) FROM {child}").fetchone() or (None, 0)
        began = time.perf_counter()
        connection.execute(f"ALTER TABLE {PARTED} DETACH PARTITION {child}")
        connection.execute(f"DROP TABLE {child}")
        taken = time.perf_counter() - began
        bench.show(f"drop a partition of {count:,} rows", [taken], "s")
        if count:
            show_deletion(bench, connection, {"service": service, "after": after})


def show_deletion(bench: Bench, connection: Connection, what: dict[str, Any]) -> None:
    began = time.perf_counter()
    counts = iter(lambda: connection.execute(_BATCH, what, prepare=True).rowcount, 0)
    gone = sum(itertools.chain(counts))
    bench.show(f"delete {gone:,} rows of one table, {A_BATCH:,} at a time", [time.perf_counter() - began], "s")
    began = time.perf_counter()
    connection.execute(f"VACUUM {PLAIN}")
    bench.show("VACUUM after it", [time.perf_counter() - began], "s")


if __name__ == "__main__":
    main(Bench())
