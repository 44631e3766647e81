"""P1: POST /v2/notifications/sms and /email with one placeholder and a live key, by 1, 8 and 32 clients.

The comparison is the floor: a bare Django view under the same server that parses JSON and does one INSERT through the
same pool. Two more comparisons show where the time goes: the bare view with the queries of a text, and a viewset of
Django REST framework with these queries, after libraries have checked signature, shape and phone number. CPU time is
in ms per request, for the web processes and for PostgreSQL.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from benchmarks.frame.bench import Bench
from benchmarks.frame.load import Call
from benchmarks.frame.measure import Round, measure
from benchmarks.frame.stand import signed, stand

CLIENTS = (1, 8, 32)
LEAST_OF_VIEWSET = 0.85  # at 8 clients
MOST_P99_MS = 25  # at 8 clients, on an idle machine of two cores
MOST_WEB_MS = 1.7


def main(bench: Bench) -> None:
    with stand(web=2) as it:
        service = it.provision()
        body = {"template_id": service.templates["text"], "personalisation": {"name": "Jo {number}"}}
        sms = json.dumps(body | {"phone_number": "07700 900123"})
        email = json.dumps(body | {"template_id": service.templates["email"], "email_address": "p{number}@example.org"})
        one = signed(service, "/v2/notifications/sms", method="POST", body=sms)
        floor = it.start_floor(same_queries_as=one, secret=service.keys["live"][-36:])
        asked = [bool(call.command) for call in floor.calls]
        assert asked == [True, False, True], floor.calls  # the rate limit, the message and the wake-up
        calls = {
            "sms": (one, it.service.web.pid),
            "email": (signed(service, "/v2/notifications/email", method="POST", body=email), it.service.web.pid),
            "viewset": (replace(one, url=f"{floor.url}/viewset"), floor.pid),
            "queries": (Call(url=f"{floor.url}/queries", method="POST", body=sms), floor.pid),
            "floor": (Call(url=floor.url, method="POST", body=sms), floor.pid),
        }
        for clients in CLIENTS:
            measures: dict[str, Callable[[], Round]] = {
                name: partial(measure, it, call, pid, clients, bench.seconds) for name, (call, pid) in calls.items()
            }
            _show(bench, clients, bench.interleave(**measures))


def _show(bench: Bench, clients: int, found: dict[str, list[Round]]) -> None:
    def of(name: str, value: Callable[[Round], float]) -> list[float]:
        return [value(row) for row in found[name]]

    floor, queries, viewset = (of(name, lambda row: row.answers.per_second) for name in ("floor", "queries", "viewset"))
    bench.show(f"P1 the queries of a text, {clients} clients", queries, "req/s", against=("floor", floor))
    web = [row.web_ms for row in found["queries"]]
    bench.show(f"P1 the queries of a text, {clients} clients, web CPU", web, "ms/req")
    figure = f"P1 a bare viewset with these queries, {clients} clients"
    bench.show(figure, viewset, "req/s", against=("floor", floor))
    bench.show(f"{figure}, p99", of("viewset", lambda row: row.answers.p99_ms), "ms")
    bench.show(f"{figure}, web CPU", of("viewset", lambda row: row.web_ms), "ms/req")
    for name in ("sms", "email"):
        figure, judged = f"P1 POST {name}, {clients} clients", clients == 8
        least, most = (LEAST_OF_VIEWSET, MOST_P99_MS) if judged else (None, None)
        per_second = of(name, lambda row: row.answers.per_second)
        bench.show(figure, per_second, "req/s", against=("floor", floor))
        bench.show(f"{figure}, share of the viewset", per_second, "req/s", against=("viewset", viewset), at_least=least)
        bench.show(f"{figure}, share of its queries", per_second, "req/s", against=("its queries", queries))
        bench.show(f"{figure}, p50", of(name, lambda row: row.answers.p50_ms), "ms")
        bench.show(f"{figure}, p99", of(name, lambda row: row.answers.p99_ms), "ms", at_most=most)
        web = of("floor", lambda row: row.web_ms)
        ours = of(name, lambda row: row.web_ms)
        bench.show(f"{figure}, web CPU", ours, "ms/req", at_most=MOST_WEB_MS if judged else None)
        bench.show(f"{figure}, web CPU by the floor's", ours, "ms/req", against=("floor", web))
        database = of("floor", lambda row: row.database_ms)
        bench.show(
            f"{figure}, PostgreSQL CPU", of(name, lambda row: row.database_ms), "ms/req", against=("floor", database)
        )
