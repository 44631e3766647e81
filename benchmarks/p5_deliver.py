"""P5: emails from row to mail server by one worker process, and from POST to the server's 250 at 50 a second.

The worker's messages wait in the database, each with its hint in Redis. What is counted is from the first that the
server took to the last whose row says so. Held against one bare smtplib connection that sends the same bytes to the
same server, which has neither to read a row nor to remember; and, to show what remembering costs, against one that says
the worker's statement for each: it notes what was sent, and takes and reads the next, committed before that is sent.
"""

import json
import smtplib
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import psycopg
import requests
from psycopg.types.json import Jsonb

from benchmarks.frame import processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, stand
from tests.notifications.provisioned import Provisioned
from tests.notifications.tokens import make_token
from tests.servers import Program, accepts, free_port, wait_until

PER_SECOND_OF_LOAD = 400  # messages of a round, for each of --seconds
LEAST_OF_SMTPLIB = 0.6
PER_SECOND = 50
MOST_P99_MS = 250

# As an accepted POST leaves them.
_STORE = """
INSERT INTO notifications_notification (id, service_id, template_id, key_type, origin, created_by, request_id, channel,
    template_version, recipient, normalised_recipient, subject, body, unsubscribe_link, parts, rate_multiplier,
    is_international, status, created_at, attempt, failed_attempts, attempts, provider, provider_reference, receipts)
SELECT gen_random_uuid(), %(service)s, %(template)s, 'live', 'api', '', '', 'email',
    1, 'p' || n || '@example.org', 'p' || n || '@example.org', 'Hello', 'Dear Jo ' || n || ', your table is ready.',
    false, 0, 0, false, 'created', now(), 0, 0, '[]', '', '', '[]'
FROM generate_series(1, %(count)s) AS n
"""
_HINT = """
from notifications.models import Notification; from notifications.tasks import hint
for one in Notification.objects.filter(status="created").values_list("id", flat=True): hint(one, "email")
"""
_OPEN = "SELECT count(*) FROM notifications_notification WHERE status = 'created'"
_AGAIN = """
UPDATE notifications_notification
SET status = 'created', sent_at = NULL, attempt = 0, attempts = '[]', claimed_until = NULL RETURNING id
"""
_STATEMENT = """
from notifications.models import claim; print(claim._mark_sent_and_take_statement(claim._MARK_ENDED))
"""
_ATTEMPT = {"at": "2026-11-22T12:00:00.000000Z", "provider": "mail", "outcome": "accepted", "reply": "250 OK", "ms": 1}
_SPAN = "SELECT extract(epoch FROM max(sent_at) - min(sent_at)) FROM notifications_notification"
_WORKER = ("worker", sys.executable, "manage.py", "worker", "--queues", "send-email", "--concurrency", "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    per_second: float
    cpu_ms: float


def main(bench: Bench) -> None:
    port = free_port()
    with stand(web=2, PROVIDERS=f"mail=smtp://127.0.0.1:{port}") as it:
        notes = it.folder / "sink"
        sink = Program(sys.executable, "-m", "benchmarks.mail_sink", str(port), str(notes), log=it.folder / "sink.log")
        try:
            sink.wait_until(lambda: accepts(port))
            service = it.provision()
            count = max(50, round(bench.seconds * PER_SECOND_OF_LOAD))
            deliver(it, service, count)  # also the content for the other side
            content = notes.with_suffix(".first").read_bytes()
            found = bench.interleave(
                product=lambda: deliver(it, service, count),
                smtplib=lambda: bare(port, content, count),
                noting=lambda: noting(it, port, content, count),  # in the rows that the product has left
            )
            rates = {name: [row.per_second for row in rows] for name, rows in found.items()}
            work = {name: [row.cpu_ms for row in rows] for name, rows in found.items()}
            bench.show(
                "P5 one worker process",
                rates["product"],
                "emails/s",
                against=("bare smtplib", rates["smtplib"]),
                at_least=LEAST_OF_SMTPLIB,
            )
            bench.show(
                "P5 the same by what has to be noted",
                rates["product"],
                "emails/s",
                against=("smtplib with the worker's statement for each", rates["noting"]),
            )
            bench.show("P5 CPU of the worker, its start left off", work["product"], "ms/email")
            bench.show("P5 CPU of bare smtplib", work["smtplib"], "ms/email")
            against = ("bare smtplib", rates["smtplib"])
            bench.show("P5 smtplib with the worker's statement for each", rates["noting"], "emails/s", against=against)
            bench.show("P5 CPU of smtplib with the worker's statement for each", work["noting"], "ms/email")
            it.service.start_worker()
            spans = [from_post(service, notes, bench.seconds) for _ in range(bench.rounds)]
            for share, most in ((0.5, None), (0.99, MOST_P99_MS)):
                values = [sorted(span)[int(len(span) * share)] * 1000 for span in spans]
                bench.show(f"P5 POST to 250 at {PER_SECOND}/s, p{share * 100:.0f}", values, "ms", at_most=most)
        finally:
            sink.stop()


def deliver(it: Stand, service: Provisioned, count: int) -> Round:
    """Have one worker process deliver so many."""
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        connection.execute("TRUNCATE notifications_notification CASCADE")
        given = {"service": service.id, "template": service.templates["email"], "count": count}
        connection.execute(_STORE, given)
        connection.execute("ANALYZE notifications_notification")
        hinted = it.service.manage("shell", "--no-imports", "-c", _HINT)
        assert hinted.returncode == 0, hinted.stderr
        worker = it.service.start(*_WORKER)
        try:
            wait_until(lambda: _number(connection, _OPEN) < count, 120)
            before, left = processes.cpu_seconds(worker.pid), _number(connection, _OPEN)
            wait_until(lambda: _number(connection, _OPEN) == 0, 300)
            cpu_ms = (processes.cpu_seconds(worker.pid) - before) * 1000 / max(1, left)
        finally:
            worker.stop()
        return Round(per_second=(count - 1) / _number(connection, _SPAN), cpu_ms=cpu_ms)


def noting(it: Stand, port: int, content: bytes, count: int) -> Round:
    """Send as `bare` does, and say the product's statement for each, committed as safely as the product commits."""
    said = it.service.manage("shell", "--no-imports", "-c", _STATEMENT)
    assert said.returncode == 0, said.stderr
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        ids = [row[0] for row in connection.execute(_AGAIN).fetchall()]
        given = {"status": "delivered", "is_acceptance_final": True, "provider": "mail", "provider_reference": "250"}
        given |= {"attempts": Jsonb([_ATTEMPT]), "seconds": 60, "sent_attempt": 1}

        def note(number: int) -> None:
            """Note the one that was sent, and take the next; there is none after the last, and none was taken first."""
            then = ids[min(number + 1, count - 1)]
            now = datetime.now(UTC)
            own = {"completed_at": now, "sent_at": now, "sent_id": ids[number], "id": then}
            connection.execute(said.stdout, given | own, prepare=True).fetchone()

        return bare(port, content, count, note=note)


def bare(port: int, content: bytes, count: int, note: Callable[[int], object] = lambda number: None) -> Round:
    with smtplib.SMTP("127.0.0.1", port) as server:
        server.ehlo()
        started, began = time.perf_counter(), time.process_time()
        for number in range(count):
            server.sendmail("bench@example.org", f"p{number}@example.org", content)
            note(number)
        taken, worked = time.perf_counter() - started, time.process_time() - began
    return Round(per_second=count / taken, cpu_ms=worked * 1000 / count)


def from_post(service: Provisioned, notes: Path, seconds: float) -> list[float]:
    """Return of each message how many seconds after the beginning of its POST the server had taken it."""
    count = round(seconds * PER_SECOND)
    body = json.dumps(
        {"template_id": service.templates["email"], "email_address": "p@example.org", "personalisation": {"name": "Jo"}}
    )
    token = make_token(service.id, service.keys["live"][-36:])
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    own = threading.local()

    def post(due: float) -> tuple[str, float]:
        if not hasattr(own, "caller"):
            own.caller = requests.Session()
        time.sleep(max(0.0, due - time.monotonic()))
        began = time.monotonic()
        answer = own.caller.post(f"{service.url}/v2/notifications/email", body, headers=headers, timeout=30)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"], began

    known = SimpleNamespace(taken={})

    def all_there() -> bool:
        lines = [line.split() for line in notes.read_text().splitlines()]
        known.taken = {identifier: float(at) for at, identifier in lines}
        return began.keys() <= known.taken.keys()

    start = time.monotonic() + 0.5
    with ThreadPoolExecutor(8) as pool:
        began = dict(pool.map(post, [start + number / PER_SECOND for number in range(count)]))
    wait_until(all_there, 60)
    return [known.taken[identifier] - at for identifier, at in began.items()]


def _number(connection: "psycopg.Connection[tuple[float]]", query: str) -> float:
    row = connection.execute(query).fetchone()  # type: ignore[call-overload]  # our own text
    return float(row[0])
