"""P9: the embedded default of `make run`: SQLite, the file queue, one web process, a worker and the clock.

It measures the accepted messages per second from 16 clients while the worker delivers, and the deliveries per second
from the first of these calls until no message is left.
"""

import json
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

from benchmarks.frame import load, processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import Stand, signed, stand

CLIENTS = 16
LEAST_POSTS = 200
LEAST_DELIVERIES = 100
NUMBERS = "SELECT count(*), count(*) FILTER (WHERE status = 'created') FROM notifications_notification"
LEFT_ALONE_SECONDS = 10


def main(bench: Bench) -> None:
    with stand(web=1, embedded=True) as it:
        service = it.provision()
        it.service.start_worker()
        it.service.start("clock", sys.executable, "manage.py", "clock")
        body = {"template_id": service.templates["email"], "personalisation": {"name": "Jo"}}
        email = json.dumps(body | {"email_address": "p{number}@example.org"})
        post = signed(service, "/v2/notifications/email", method="POST", body=email)
        load.warm_up(post, clients=CLIENTS)
        posts, deliveries, web_ms = [], [], []
        for _ in range(bench.rounds):
            before = processes.cpu_seconds(it.service.web.pid)
            began, delivered = time.monotonic(), _delivered(it)
            posts.append(load.run(post, clients=CLIENTS, seconds=bench.seconds))
            spent = processes.cpu_seconds(it.service.web.pid) - before
            web_ms.append(spent * 1000 / posts[-1].requests)
            _wait_for_worker(it)
            deliveries.append((_delivered(it) - delivered) / (time.monotonic() - began))
        figure = f"P9 embedded: POST email, {CLIENTS} clients"
        bench.show(figure, [row.per_second for row in posts], "req/s", at_least=LEAST_POSTS)
        bench.show(f"{figure}, p99", [row.p99_ms for row in posts], "ms")
        bench.show(f"{figure}, web CPU", web_ms, "ms/req")
        bench.show("P9 embedded: deliveries", deliveries, "msg/s", at_least=LEAST_DELIVERIES)
        bench.show("P9 embedded: 'database is locked' in the logs", [float(_locked(it))], "times", at_most=0)


def _numbers(it: Stand) -> tuple[int, int]:
    """Return the number of messages, and of those that the worker has not sent."""
    path = Path(it.service.environment["DATABASE_URL"].removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        stored, left = connection.execute(NUMBERS).fetchone()
        return int(stored), int(left)


def _delivered(it: Stand) -> int:
    stored, left = _numbers(it)
    return stored - left


def _wait_for_worker(it: Stand) -> None:
    ends_at = time.monotonic() + LEFT_ALONE_SECONDS
    while _numbers(it)[1] and time.monotonic() < ends_at:
        time.sleep(0.1)


def _locked(it: Stand) -> int:
    return sum(log.read_text().count("database is locked") for log in it.folder.glob("*.log"))
