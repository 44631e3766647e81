"""P4: writing and sending where much is stored already, against the same where nothing is.

ROWS=10000000 records and MESSAGES=5000000 messages, unless these variables of the environment say otherwise. Two
products side by side: one on empty tables, one on full ones. They differ by less than what else the machine does makes
of a round, so there are three times as many.
"""

import json
import os
from dataclasses import replace
from functools import partial

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
TIMES = 3
BATCHES = {1: 400, 10_000: 20}  # how many of each size in a round

# Delivered over the last so many days.
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
    with stand(web=2) as empty, stand(web=2) as full:
        stands = {"full": full, "empty": empty}
        services = {name: it.provision() for name, it in stands.items()}
        sets = {name: records.make(it) for name, it in stands.items()}
        records.fill(full, sets["full"], ROWS)
        fill(full, services["full"], MESSAGES)
        for it in stands.values():
            settle(it)
        for size, times in BATCHES.items():
            compare(
                bench,
                f"P4 POST /data, batches of {size:,}, {ROWS:,} records stored",
                "records/s",
                **{name: partial(write, one, size, times) for name, one in sets.items()},
            )
        body = {"template_id": "", "personalisation": {"name": "Jo {number}"}, "phone_number": "07700 900123"}
        calls = {
            name: signed(
                service,
                "/v2/notifications/sms",
                method="POST",
                body=json.dumps(body | {"template_id": service.templates["text"]}),
            )
            for name, service in services.items()
        }
        for call in calls.values():
            load.warm_up(call, clients=CLIENTS)
        compare(
            bench,
            f"P4 POST sms, {CLIENTS} clients, {MESSAGES:,} messages stored",
            "req/s",
            **{name: partial(send, call, bench.seconds) for name, call in calls.items()},
        )


def settle(it: Stand) -> None:
    """Have what has been stored written out now: the checkpoint that filling has begun would fall into what follows."""
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    os.sync()


def compare(bench: Bench, figure: str, unit: str, **measures: "partial[float]") -> None:
    found = replace(bench, rounds=TIMES * bench.rounds).interleave(**measures)
    bench.show(figure, found["full"], unit, against=("empty tables", found["empty"]), at_least=LEAST_OF_EMPTY)


def write(data_set: records.Writable, size: int, times: int) -> float:
    return p3_write_records.post(data_set, p3_write_records.batches(records.small, size, times))


def send(call: load.Call, seconds: float) -> float:
    return load.run(call, clients=CLIENTS, seconds=seconds).per_second


def fill(it: Stand, service: Provisioned, messages: int, days: int = 90) -> None:
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        for first in range(0, messages, _AT_ONCE):
            last = min(first + _AT_ONCE, messages) - 1
            given = {"service": service.id, "template": service.templates["text"], "count": messages, "days": days}
            connection.execute(_FILL, given | {"first": first, "last": last})
        connection.execute("VACUUM ANALYZE notifications_notification")
