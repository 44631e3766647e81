"""Kill each process of a worker while it works: `python -m benchmarks.faults.killed_children [kills [sqlite]]`.

A bulk send of 3,000 rows runs and 200 messages are scheduled. It passes if every message is final within 60 s of the
last kill: a claim ends after 40 s, and the sweep follows within 10 s. Every scheduled message must leave within 10 s of
its time, or after the claim of a killed process has ended. No message may arrive twice without an uncertain attempt.
The log of the worker must have no RuntimeError and no AttributeError.
Source: docs/testing.md, A2.

Cases: A2.
"""

import os
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path

from benchmarks.faults.stand import FINAL_ENOUGH, Caller, Stand, show, show_machine, stand, wait_for

ROWS, SCHEDULED = 3000, 200
SECONDS_BETWEEN = 2.0
FINAL_WITHIN_SECONDS, LATE_AFTER_SECONDS, CLAIM_SECONDS, SWEEP_SECONDS = 60, 10, 40, 10
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
        for name in islice(cycle(processes(worker.pid)), kills):
            time.sleep(SECONDS_BETWEEN)
            wait_for(lambda name=name: name in processes(worker.pid), 30)  # type: ignore[misc]  # no types for it
            os.kill(processes(worker.pid)[name], signal.SIGKILL)
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
        assert late[-1] <= LATE_AFTER_SECONDS + CLAIM_SECONDS + SWEEP_SECONDS
        waited = [each for each, due in times.items() if arrived[each] - due > LATE_AFTER_SECONDS]
        assert it.doubts(waited) == len(waited), "a message left late that no killed process had claimed"
        assert not any(word in log for word in FORBIDDEN)
        show("passed", True)


def statuses(it: Stand) -> list[str]:
    return list(it.statuses().values())


def processes(worker: int) -> dict[str, int]:
    """Return the processes of a worker, by name."""
    children = (Path(f"/proc/{worker}/task/{worker}/children")).read_text().split()
    return {Path(f"/proc/{child}/comm").read_text().strip(): int(child) for child in children}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, embedded="sqlite" in sys.argv)
