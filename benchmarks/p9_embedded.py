"""P9: the embedded default of `make run`: SQLite, the file queue, one web process, a worker and the clock.

It measures the accepted messages per second from 16 clients while the worker delivers, and the deliveries per second
without callers.
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
BEHIND = "SELECT count(*) FROM notifications_notification WHERE status = 'created'"
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
            posts.append(load.run(post, clients=CLIENTS, seconds=bench.seconds))
            spent = processes.cpu_seconds(it.service.web.pid) - before
            web_ms.append(spent * 1000 / posts[-1].requests)
            deliveries.append(_delivered_a_second(it))
        figure = f"P9 embedded: POST email, {CLIENTS} clients"
        bench.show(figure, [row.per_second for row in posts], "req/s", at_least=LEAST_POSTS)
        bench.show(f"{figure}, p99", [row.p99_ms for row in posts], "ms")
        bench.show(f"{figure}, web CPU", web_ms, "ms/req")
        bench.show("P9 embedded: deliveries", deliveries, "msg/s", at_least=LEAST_DELIVERIES)
        bench.show("P9 embedded: 'database is locked' in the logs", [float(_locked(it))], "times", at_most=0)


def _delivered_a_second(it: Stand) -> float:
    """Return the deliveries per second while the worker catches up."""
    path = Path(it.service.environment["DATABASE_URL"].removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        began, before = time.monotonic(), connection.execute(BEHIND).fetchone()[0]
        left = before
        while left and time.monotonic() - began < LEFT_ALONE_SECONDS:
            time.sleep(0.1)
            left = connection.execute(BEHIND).fetchone()[0]
        return float((before - left) / (time.monotonic() - began))


def _locked(it: Stand) -> int:
    return sum(log.read_text().count("database is locked") for log in it.folder.glob("*.log"))
