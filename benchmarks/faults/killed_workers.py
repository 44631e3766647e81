"""Thousands of emails, a worker killed all the time: `python -m benchmarks.faults.killed_workers [number [sqlite]]`.

Passes when every message arrives, every row has been handed over, and a message that came twice is one whose worker was
killed between the server's 250 and the record of its batch: its row says `uncertain`.
Source: docs/testing.md, A1, A3.

Cases: A1.
"""

import random
import sys
import time

from benchmarks.faults.stand import FINAL_ENOUGH, send_all, show, show_answers, show_machine, stand, wait_for
from notifications.delivery.drain import LARGEST_BATCH

WORKER = ("--queues", "send-email", "--concurrency", "4")
BETWEEN_KILLS = (1, 4)  # seconds of sending
PROCESSES = 4  # that send at the same time: each may have sent a batch that it has not recorded


def main(count: int, *, embedded: bool) -> None:
    show_machine()
    with stand(embedded=embedded, DJANGO_SETTINGS_MODULE="tests.quick_settings") as it:
        answers = send_all(it.provision(), count, callers=8)
        show_answers(answers)
        accepted = [answer.id for answer in answers if answer.status == 201]
        others = "receipts,callbacks,periodic,upkeep"
        it.service.start("others", sys.executable, "manage.py", "worker", "--queues", others)
        kills, started = 0, time.monotonic()
        while len(it.mailbox.counts()) < len(accepted):
            worker = it.service.start("worker", sys.executable, "manage.py", "worker", *WORKER)
            there = len(it.mailbox.arrived)
            wait_for(lambda there=there: len(it.mailbox.arrived) > there, 60)  # type: ignore[misc]  # no types for it
            time.sleep(random.uniform(*BETWEEN_KILLS))  # noqa: S311  no secret
            worker.kill()
            kills += 1
        it.service.start_worker()
        settled = wait_for(lambda: not it.lost(accepted), 120)
        time.sleep(5)  # whatever comes late
        counts, statuses = it.mailbox.counts(), it.statuses()
        twice = [identifier for identifier, number in counts.items() if number > 1]
        show("kills", kills, seconds=round(time.monotonic() - started))
        show("accepted", len(accepted), arrived=len(counts), foreign=len(set(counts) - set(accepted)))
        show("arrived more than once", len(twice), bound=kills * PROCESSES * LARGEST_BATCH, most=max(counts.values()))
        show("rows with a doubt noted", it.doubts())
        show("rows not handed over", sum(statuses[identifier] not in FINAL_ENOUGH for identifier in accepted))
        assert settled is not None
        assert set(counts) == set(accepted)
        assert len(twice) <= kills * PROCESSES * LARGEST_BATCH
        assert it.doubts() >= len(twice), "a double nobody can explain"
        show("passed", True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, embedded="sqlite" in sys.argv)
