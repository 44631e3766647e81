"""P11: a bulk send of 100,000 rows from request to acceptance, and its delivery against that of single messages.

Acceptance is measured with `rows` and with `csv`, with the growth of the web process. Delivery is measured with one
sending process and one for the steps. The comparison is the same number of single messages that already wait. Another
service sends a message halfway.
"""

import json
import sys
import time

import psycopg
import requests

from benchmarks.frame import processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, stand
from benchmarks.p5_deliver import deliver
from tests.notifications.provisioned import Provisioned
from tests.notifications.tokens import make_token
from tests.servers import Program, accepts, free_port, wait_until

ROWS = 100_000
PER_SECOND_OF_LOAD = 1_000  # rows that are delivered, for each second of --seconds
MOST_SECONDS, LEAST_OF_SINGLE, MOST_WAIT_SECONDS = 60, 0.9, 15
MOST_MIB, MIB = 32, 1024 * 1024
_WORKER = (sys.executable, "manage.py", "worker", "--concurrency", "1", "--queues")
_SENT = "SELECT count(*) FROM notifications_notification WHERE status <> 'created' AND service_id = %s"
_SPAN = "SELECT extract(epoch FROM max(sent_at) - min(sent_at)) FROM notifications_notification WHERE service_id = %s"
_WAIT = "SELECT extract(epoch FROM max(sent_at - created_at)) FROM notifications_notification WHERE service_id = %s"


def main(bench: Bench) -> None:
    port = free_port()
    with stand(web=1, PROVIDERS=f"mail=smtp://127.0.0.1:{port}") as it:
        sink = Program(
            sys.executable, "-m", "benchmarks.mail_sink", str(port), str(it.folder / "sink"), log=it.folder / "sink.log"
        )
        try:
            sink.wait_until(lambda: accepts(port))
            service, other = it.provision(), it.provision("Other")
            for form in ("rows", "csv"):
                accept(bench, it, service, form)
            count = round(bench.seconds * PER_SECOND_OF_LOAD)
            waits: list[float] = []
            found = bench.interleave(
                bulk=lambda: deliver_bulk(it, service, other, count, waits),
                single=lambda: deliver(it, service, count).per_second,
            )
            bench.show(
                f"P11 delivery of {count} rows",
                found["bulk"],
                "emails/s",
                against=("single messages", found["single"]),
                at_least=LEAST_OF_SINGLE,
            )
            bench.show("P11 wait of another service's message", waits, "s", at_most=MOST_WAIT_SECONDS)
        finally:
            sink.stop()


def accept(bench: Bench, it: Stand, service: Provisioned, form: str) -> None:
    """Show the seconds until 100,000 rows of five columns are accepted, and the memory that the web process needed."""
    [worker] = processes.children(it.service.web.pid)
    seconds, grown = [], []
    post(service, body_of(service, 1, form, name=f"first {form}"))  # loads what every process needs once
    for number in range(bench.rounds):
        body = body_of(service, ROWS, form, name=f"{form} {number}", scheduled_for=later())
        before = processes.resident_mib(worker)
        began = time.monotonic()
        post(service, body)
        seconds.append(time.monotonic() - began)
        grown.append(processes.highest_mib(worker) - before)
    most = MOST_MIB + (2 * len(body) / MIB if form == "csv" else 0)
    bench.show(f"P11 acceptance of {ROWS} rows as {form}", seconds, "s", at_most=MOST_SECONDS, bytes=len(body))
    bench.show(f"P11 growth of the web process with {form}", grown, "MiB", at_most=most)


def deliver_bulk(it: Stand, service: Provisioned, other: Provisioned, count: int, waits: list[float]) -> float:
    """Return the rate from the first recorded acceptance to the last."""
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        connection.execute("TRUNCATE notifications_notification, notifications_bulksend CASCADE")
        post(service, body_of(service, count, "rows", name=str(time.time())))
        workers = [it.service.start(queue, *_WORKER, queue) for queue in ("send-email", "bulk")]
        try:
            wait_until(lambda: _number(connection, _SENT, service) > count / 2, 300)
            single = {"template_id": other.templates["email"], "email_address": "o@example.org"}
            post(other, json.dumps(single | {"personalisation": {"name": "Jo"}}), path="email")
            wait_until(lambda: _number(connection, _SENT, service) == count, 300)
            wait_until(lambda: _number(connection, _SENT, other) == 1, 60)
        finally:
            for worker in workers:
                worker.stop()
        waits.append(_number(connection, _WAIT, other))
        return (count - 1) / _number(connection, _SPAN, service)


def body_of(service: Provisioned, count: int, form: str, **fields: str) -> str:
    names = ["email address", "name", "town", "street", "note"]
    rows = [
        names,
        *([f"p{n}@example.org", f"Jo {n}", "Leeds", f"{n} High Street", "please ring"] for n in range(count)),
    ]
    table: object = "\n".join(",".join(row) for row in rows) if form == "csv" else rows
    return json.dumps({"template_id": service.templates["email"], form: table, "name": "Bench"} | fields)


def later() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86_400))


def post(service: Provisioned, body: str, path: str = "bulk") -> None:
    token = make_token(service.id, service.keys["live"][-36:])
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    answer = requests.post(f"{service.url}/v2/notifications/{path}", body, headers=headers, timeout=120)
    assert answer.status_code == 201, answer.text


def _number(connection: "psycopg.Connection[tuple[float]]", query: str, service: Provisioned) -> float:
    row = connection.execute(query, [service.id]).fetchone()  # type: ignore[call-overload]  # a constant query
    return float(row[0])
