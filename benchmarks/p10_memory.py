"""P10: memory of an idle web worker and of an idle child of the Celery worker, before and after work.

As in production, they run with only the packages of requirements.txt, see `tests.interpreters`.
"""

import json
import time

from benchmarks.frame import load, processes
from benchmarks.frame.bench import Bench
from benchmarks.frame.stand import signed, stand

IDLE, AFTER_LOAD = "idle", "after load"
MOST_MIB = {IDLE: 110, AFTER_LOAD: 140}  # the Celery worker child has only the first target
SETTLE_SECONDS = 10  # until the worker has delivered the messages


def main(bench: Bench) -> None:
    with stand(web=2, without_tools=True) as it:
        service = it.provision()
        worker = it.service.start_worker()
        body = {"template_id": service.templates["email"], "personalisation": {"name": "Jo"}}
        email = json.dumps(body | {"email_address": "p{number}@example.org"})
        _show(bench, IDLE, it.service.web.pid, worker.pid)
        load.run(
            signed(service, "/v2/notifications/email", method="POST", body=email), clients=8, seconds=bench.seconds
        )
        load.run(signed(service, "/v2/notifications"), clients=2, seconds=bench.seconds)
        time.sleep(SETTLE_SECONDS)
        _show(bench, AFTER_LOAD, it.service.web.pid, worker.pid)


def _show(bench: Bench, when: str, web: int, worker: int) -> None:
    """Show the median, minimum and maximum over the processes instead of rounds."""
    for name, pids in (("web worker", processes.children(web)), ("Celery worker child", _last(worker))):
        resident = [processes.resident_mib(pid) for pid in pids]
        own = [processes.own_mib(pid) for pid in pids]
        most = MOST_MIB[when] if when == IDLE or name == "web worker" else None
        bench.show(f"P10 {name}, {when}", resident, "MiB", at_most=most, processes=len(pids))
        bench.show(f"P10 {name}, {when}, shared pages divided", own, "MiB")


def _last(pid: int) -> list[int]:
    """Return the descendants without children, which do the work."""
    return [member for member in processes.family(pid) if not processes.children(member)]
