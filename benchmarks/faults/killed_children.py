"""Kill each process of each worker pool while it works: `python -m benchmarks.faults.killed_children [kills [sqlite]]`.

A bulk send of 3,000 rows runs and 200 messages are scheduled. It passes if every message is final within 60 s of the
last kill, and every scheduled message leaves within 10 s of its time (a killed claim may add its minute). No message
may arrive twice without an uncertain attempt. The log of the worker must have no RuntimeError and no AttributeError.
Source: docs/testing.md, A2.

Cases: A2.
"""

import os
import random
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path

from benchmarks.faults.stand import FINAL_ENOUGH, Caller, Stand, show, show_machine, stand, wait_for

ROWS, SCHEDULED = 3000, 200
SECONDS_BETWEEN = 2.0
FINAL_WITHIN_SECONDS, LATE_AFTER_SECONDS, CLAIM_SECONDS = 60, 10, 60
FORBIDDEN = ("RuntimeError", "AttributeError")


def main(kills: int, *, embedded: bool) -> None:
    show_machine()
    with stand(embedded=embedded, LOG_LEVEL="info") as it:
        service = it.provision()
        worker = it.service.start_worker()
        rows = [["email address"], *([f"b{number}@example.org"] for number in range(ROWS))]
        body = {"name": "kills", "template_id": service.templates["email"], "rows": rows}
        accepted = service.request("POST", "/v2/notifications/bulk", body, key_type="live")
        assert accepted.status_code == 201, accepted.text
        began, caller, times = time.monotonic(), Caller(service), {}
        for number in range(SCHEDULED):
            seconds = 5 + number * kills * SECONDS_BETWEEN / SCHEDULED
            due = datetime.now(UTC) + timedelta(seconds=seconds)
            answer = caller.send(number, scheduled_for=due.isoformat())
            assert answer.status == 201, answer
            times[answer.id] = time.monotonic() + seconds
        for pool, place in islice(cycle(shuffled_places(worker.pid)), kills):
            time.sleep(SECONDS_BETWEEN)
            wait_for(lambda pool=pool, place=place: len(children(pool)) > place, 30)  # type: ignore[misc]  # no types for it
            os.kill(children(pool)[place], signal.SIGKILL)
        last = time.monotonic()
        show("kills", kills, seconds=round(last - began))
        settled = wait_for(lambda: set(statuses(it)) <= FINAL_ENOUGH and len(statuses(it)) == ROWS + SCHEDULED, 180)
        arrived = {identifier: at for at, identifier in reversed(list(it.mailbox.arrived))}
        late = sorted(arrived[each] - due for each, due in times.items() if each in arrived)
        counts = it.mailbox.counts()
        twice = [identifier for identifier, number in counts.items() if number > 1]
        log = worker.log.read_text()
        show("messages", len(it.statuses()), arrived=len(counts), twice=len(twice), doubts=it.doubts(twice))
        show("final after the last kill", settled, bound=FINAL_WITHIN_SECONDS)
        show(
            "seconds late",
            round(late[len(late) // 2], 1),
            p95=round(late[int(len(late) * 0.95)], 1),
            most=round(late[-1], 1),
        )
        show("errors in the log", {word: log.count(word) for word in FORBIDDEN})
        assert settled is not None
        assert settled <= FINAL_WITHIN_SECONDS
        assert len(counts) == ROWS + SCHEDULED
        assert it.doubts(twice) == len(twice), "a message arrived twice without an uncertain attempt"
        assert late[-1] <= LATE_AFTER_SECONDS + CLAIM_SECONDS
        assert sum(seconds > LATE_AFTER_SECONDS for seconds in late) <= kills
        assert not any(word in log for word in FORBIDDEN)
        show("passed", True)


def statuses(it: Stand) -> list[str]:
    return list(it.statuses().values())


def shuffled_places(worker: int) -> list[tuple[int, int]]:
    """Return each pool of the worker with the number of each of its processes, in random order."""
    places = [(pool, place) for pool in children(worker) for place in range(len(children(pool)))]
    random.shuffle(places)
    return places


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, embedded="sqlite" in sys.argv)
