"""P4: write records and send messages with large tables, compared with empty tables.

The environment variables ROWS (default 10000000) and MESSAGES (default 5000000) set the sizes. Two products run side by
side, one with full tables, one with tables that are emptied before each round. They differ by less than other work on
the machine distorts a round, so there are more rounds.

New records are later than all stored ones, as in a data set that grows. Large batches are also written between stored
records, which splits the pages of an index in their middle. A raw COPY of the same rows shows how much of that
difference is PostgreSQL's.
"""

import json
import os
import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg

from benchmarks import p3_write_records, records
from benchmarks.frame import load
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, signed, stand
from tests.notifications.provisioned import Provisioned

ROWS = int(os.environ.get("ROWS", "10_000_000"))
MESSAGES = int(os.environ.get("MESSAGES", "5_000_000"))
LEAST_OF_EMPTY = 0.9
CLIENTS = 8
LARGE, LARGE_BATCHES = 10_000, 12  # records of a batch, and batches in a round
ONE_BY_ONE = 800  # records in a round
Batches = list[list[dict[str, Any]]]

# Delivered messages, spread over the last `days`.
_FILL = """
INSERT INTO notifications_notification (id, service_id, template_id, key_type, origin, created_by, request_id, channel,
    template_version, recipient, normalised_recipient, body, unsubscribe_link, parts, rate_multiplier,
    is_international, status, created_at, sent_at, completed_at, due_at, next_attempt_at, attempt, failed_attempts,
    attempts, provider, provider_reference, receipts)
SELECT gen_random_uuid(), %(service)s, %(template)s, 'live', 'api', '', '', 'sms',
    1, '447700900' || n %% 1000, '447700900' || n %% 1000, 'Hi Jo ' || n || ', your table is ready.', false, 1, 1,
    false, 'delivered', at, at, at, at, at, 1, 0,
    '[{"at": "2026-01-01T00:00:00+00:00", "provider": "mail", "outcome": "accepted", "reply": "250 taken", "ms": 3}]',
    'mail', n::text, '[]'
FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n,
    LATERAL (SELECT now() - n * %(days)s * interval '1 day' / %(count)s AS at) moment
"""
_AT_ONCE = 250_000


def main(bench: Bench) -> None:
    rounds = bench.with_more_rounds()
    with stand(web=2) as empty, stand(web=2) as full:
        sides = Sides(full=full, empty=empty)
        send_texts(rounds, sides)
        write_one_by_one(rounds, sides)
        write_batches(rounds, sides, "after stored records", records.later)
        write_batches(rounds, sides, "between stored records", records.small)


class Sides:
    """Two products with full and with empty tables, each with a service and a data set."""

    def __init__(self, *, full: Stand, empty: Stand) -> None:
        self._stands = {"full": full, "empty": empty}
        self.services = {name: it.provision() for name, it in self._stands.items()}
        self._sets = {name: records.make(it) for name, it in self._stands.items()}
        records.fill(full, self._sets["full"], ROWS)
        fill(full, self.services["full"], MESSAGES)

    def settle(self) -> None:
        """Run the pending vacuum and checkpoint now, so that they do not fall into the next measurement."""
        for it in self._stands.values():
            with psycopg.connect(it.postgres.url, autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE datasets_record, notifications_notification")
                connection.execute("CHECKPOINT")
        os.sync()

    def post(self, side: str, batches: Batches) -> float:
        self._empty(side)
        return p3_write_records.post(self._sets[side], batches)

    def copy(self, side: str, batches: Batches) -> float:
        self._empty(side)
        return p3_write_records.copy(self._stands[side], self._sets[side], batches)

    def _empty(self, side: str) -> None:
        if side == "empty":
            records.remove(self._stands[side])


def write_one_by_one(bench: Bench, sides: Sides) -> None:
    def post(side: str) -> float:
        return sides.post(side, p3_write_records.batches(records.later, 1, ONE_BY_ONE))

    sides.settle()
    found = bench.interleave(full=partial(post, "full"), empty=partial(post, "empty"))
    what = f"P4 POST /data, one by one after stored records, {ROWS:,} records"
    show(bench, what, "records/s", found["full"], found["empty"])


def write_batches(bench: Bench, sides: Sides, where: str, record: p3_write_records.Record) -> None:
    def measure(ask: Callable[[str, Batches], float], side: str) -> float:
        return ask(side, p3_write_records.batches(record, LARGE, LARGE_BATCHES))

    sides.settle()
    found = bench.interleave(
        full=partial(measure, sides.post, "full"),
        copy_full=partial(measure, sides.copy, "full"),
        empty=partial(measure, sides.post, "empty"),
        copy_empty=partial(measure, sides.copy, "empty"),
    )
    what = f"batches of {LARGE:,} {where}, {ROWS:,} records"
    # PostgreSQL itself may be slower on full tables. The batches need not be faster than its COPY.
    of_copy = [full / empty for full, empty in zip(found["copy_full"], found["copy_empty"], strict=True)]
    least = min(LEAST_OF_EMPTY, round(statistics.median(of_copy), 2))
    show(bench, f"P4 POST /data, {what}", "records/s", found["full"], found["empty"], at_least=least)
    against = ("empty tables", found["copy_empty"])
    bench.show(f"P4 raw COPY, {what}", found["copy_full"], "records/s", against=against)


def send_texts(bench: Bench, sides: Sides) -> None:
    calls = {}
    for name, service in sides.services.items():
        body = {"template_id": service.templates["text"], "personalisation": {"name": "Jo {number}"}}
        text = json.dumps(body | {"phone_number": "07700 900123"})
        calls[name] = signed(service, "/v2/notifications/sms", method="POST", body=text)
    for call in calls.values():
        load.warm_up(call, clients=CLIENTS)

    def send(side: str) -> float:
        return load.run(calls[side], clients=CLIENTS, seconds=bench.seconds).per_second

    sides.settle()
    found = bench.interleave(full=partial(send, "full"), empty=partial(send, "empty"))
    what = f"P4 POST sms, {CLIENTS} clients, {MESSAGES:,} messages"
    show(bench, what, "req/s", found["full"], found["empty"])


def show(
    bench: Bench, figure: str, unit: str, full: list[float], empty: list[float], at_least: float = LEAST_OF_EMPTY
) -> None:
    bench.show(figure, full, unit, against=("empty tables", empty), at_least=at_least)


def fill(it: Stand, service: Provisioned, messages: int, days: int = 90) -> None:
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        for first in range(0, messages, _AT_ONCE):
            last = min(first + _AT_ONCE, messages) - 1
            given = {"service": service.id, "template": service.templates["text"], "count": messages, "days": days}
            connection.execute(_FILL, given | {"first": first, "last": last})
        connection.execute("VACUUM ANALYZE notifications_notification")
