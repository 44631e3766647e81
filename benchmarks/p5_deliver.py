"""P5: emails from row to mail server by one worker process, and from POST to the server's 250 at 50 a second.

The worker's messages wait in the database, with a wake-up for each in Redis. The time is from the first recorded
acceptance to the last. The comparison is one bare smtplib connection that sends the same bytes to the same server.
"""

import json
import smtplib
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import psycopg
import requests

from benchmarks.frame import processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, stand
from tests.notifications.provisioned import Provisioned
from tests.notifications.tokens import make_token
from tests.servers import Program, accepts, free_port, wait_until

PER_SECOND_OF_LOAD = 400  # messages of a round, for each second of --seconds
LEAST_OF_SMTPLIB = 0.35
PER_SECOND = 50
MOST_P99_MS = 250

# Rows as an accepted POST stores them.
_STORE = """
INSERT INTO notifications_notification (id, service_id, template_id, key_type, origin, created_by, request_id, channel,
    template_version, recipient, normalised_recipient, subject, body, unsubscribe_link, parts, rate_multiplier,
    is_international, status, created_at, attempt, failed_attempts, attempts, provider, provider_reference, receipts)
SELECT gen_random_uuid(), %(service)s, %(template)s, 'live', 'api', '', '', 'email',
    1, 'p' || n || '@example.org', 'p' || n || '@example.org', 'Hello', 'Dear Jo ' || n || ', your table is ready.',
    false, 0, 0, false, 'created', now(), 0, 0, '[]', '', '', '[]'
FROM generate_series(1, %(count)s) AS n
"""
_WAKE = """
from notifications.models import Notification; from notifications.tasks import wake
for _ in range(Notification.objects.filter(status="created").count()): wake("email")
"""
_OPEN = "SELECT count(*) FROM notifications_notification WHERE status = 'created'"
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
            deliver(it, service, count)  # also stores the content that smtplib sends
            content = notes.with_suffix(".first").read_bytes()
            found = bench.interleave(
                product=lambda: deliver(it, service, count),
                smtplib=lambda: bare(port, content, count),
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
            bench.show("P5 CPU of the worker without its start", work["product"], "ms/email")
            bench.show("P5 CPU of bare smtplib", work["smtplib"], "ms/email")
            it.service.start_worker()
            spans = [from_post(service, notes, bench.seconds) for _ in range(bench.rounds)]
            for share, most in ((0.5, None), (0.99, MOST_P99_MS)):
                values = [sorted(span)[int(len(span) * share)] * 1000 for span in spans]
                bench.show(f"P5 POST to 250 at {PER_SECOND}/s, p{share * 100:.0f}", values, "ms", at_most=most)
        finally:
            sink.stop()


def deliver(it: Stand, service: Provisioned, count: int) -> Round:
    """Deliver `count` messages with one worker process."""
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        connection.execute("TRUNCATE notifications_notification CASCADE")
        given = {"service": service.id, "template": service.templates["email"], "count": count}
        connection.execute(_STORE, given)
        connection.execute("ANALYZE notifications_notification")
        woken = it.service.manage("shell", "--no-imports", "-c", _WAKE)
        assert woken.returncode == 0, woken.stderr
        worker = it.service.start(*_WORKER)
        try:
            wait_until(lambda: _number(connection, _OPEN) < count, 120)
            before, left = processes.cpu_seconds(worker.pid), _number(connection, _OPEN)
            wait_until(lambda: _number(connection, _OPEN) == 0, 300)
            cpu_ms = (processes.cpu_seconds(worker.pid) - before) * 1000 / max(1, left)
        finally:
            worker.stop()
        return Round(per_second=(count - 1) / _number(connection, _SPAN), cpu_ms=cpu_ms)


def bare(port: int, content: bytes, count: int) -> Round:
    with smtplib.SMTP("127.0.0.1", port) as server:
        server.ehlo()
        started, began = time.perf_counter(), time.process_time()
        for number in range(count):
            server.sendmail("bench@example.org", f"p{number}@example.org", content)
        taken, worked = time.perf_counter() - started, time.process_time() - began
    return Round(per_second=count / taken, cpu_ms=worked * 1000 / count)


def from_post(service: Provisioned, notes: Path, seconds: float) -> list[float]:
    """Return for each message the seconds from the start of its POST until the mail server accepted it."""
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
    row = connection.execute(query).fetchone()  # type: ignore[call-overload]  # a constant query
    return float(row[0])
