"""P2: GET /v2/notifications/{id} and the list of 250, compared with the floor's SELECT by primary key.

A second comparison is the floor with the product's SELECT. Answers are so fast that other work on the machine distorts
a round, so the rate has more rounds.
"""

import json
import uuid
from functools import partial

import psycopg

from benchmarks.floor.server import INSERT
from benchmarks.frame import load
from benchmarks.frame.bench import Bench
from benchmarks.frame.load import Call
from benchmarks.frame.measure import Round, measure
from benchmarks.frame.stand import signed, stand
from tests.notifications.provisioned import Provisioned

LEAST_OF_FLOOR = 0.65
MOST_LIST_MS = 8
PAGE_SIZE = 250
CLIENTS = 8


def main(bench: Bench) -> None:
    with stand(web=2) as it:
        service = it.provision()
        wanted = _fill(service)
        one = signed(service, f"/v2/notifications/{wanted}")
        floor = it.start_floor(same_queries_as=one)
        row = uuid.uuid4()
        with psycopg.connect(it.postgres.url) as connection:
            connection.execute(INSERT, [row, "text", "body"])
        page = signed(service, "/v2/notifications")
        bare = Call(url=f"{floor.url}/{row}")
        by = partial(measure, it)
        found = bench.with_more_rounds().interleave(
            one=lambda: by(one, it.service.web.pid, CLIENTS, bench.seconds),
            queries=lambda: by(Call(url=f"{floor.url}/queries"), floor.pid, CLIENTS, bench.seconds),
            floor=lambda: by(bare, floor.pid, CLIENTS, bench.seconds),
        )
        lists = bench.interleave(page=lambda: by(page, it.service.web.pid, 1, bench.seconds))
        _show(bench, found | lists)


def _fill(service: Provisioned) -> str:
    """Send more messages than a list shows; return the id of one."""
    body = {"template_id": service.templates["text"], "personalisation": {"name": "Jo"}, "phone_number": "07700 900123"}
    post = signed(service, "/v2/notifications/sms", method="POST", body=json.dumps(body))
    sent = 0
    while sent < PAGE_SIZE:
        sent += load.run(post, clients=4, seconds=2).requests
    listed = service.request("GET", "/v2/notifications", key_type="live").json()["notifications"]
    assert len(listed) == PAGE_SIZE
    return str(listed[0]["id"])


def _show(bench: Bench, found: dict[str, list[Round]]) -> None:
    rates = {name: [row.answers.per_second for row in rows] for name, rows in found.items()}
    cpu = {name: [row.web_ms for row in rows] for name, rows in found.items()}
    figure = f"P2 GET message, {CLIENTS} clients"
    bench.show("P2 its queries", rates["queries"], "req/s", against=("floor", rates["floor"]))
    bench.show(figure, rates["one"], "req/s", against=("floor", rates["floor"]), at_least=LEAST_OF_FLOOR)
    bench.show(f"{figure}, web CPU", cpu["one"], "ms/req", against=("floor", cpu["floor"]))
    figure = f"P2 GET list of {PAGE_SIZE}, 1 client"
    bench.show(figure, [row.answers.p50_ms for row in found["page"]], "ms", at_most=MOST_LIST_MS)
    bench.show(f"{figure}, web CPU", cpu["page"], "ms/req")
