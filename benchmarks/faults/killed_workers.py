"""Kill a worker again and again while it sends emails: `python -m benchmarks.faults.killed_workers [number [sqlite]]`.

It passes if every message arrives and every row has a delivered status. A message may arrive twice only if its worker
was killed between the server's 250 and the record of its batch; then its row has the outcome `uncertain`.
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
THREADS = 4  # they send at the same time, and each may have sent a batch that it has not recorded


def main(count: int, *, embedded: bool) -> None:
    show_machine()
    with stand(embedded=embedded, DJANGO_SETTINGS_MODULE="tests.quick_settings") as it:
        answers = send_all(it.provision(), count, callers=8)
        show_answers(answers)
        accepted = [answer.id for answer in answers if answer.status == 201]
        others = "receipts,callbacks,periodic,bulk,upkeep"
        it.service.start("others", sys.executable, "manage.py", "worker", "--queues", others)
        kills, started = 0, time.monotonic()
        while len(it.mailbox.counts()) < len(accepted):
            worker = it.service.start("worker", sys.executable, "manage.py", "worker", *WORKER)
            there = len(it.mailbox.arrived)
            wait_for(lambda there=there: len(it.mailbox.arrived) > there, 60)  # type: ignore[misc]  # no types for it
            time.sleep(random.uniform(*BETWEEN_KILLS))  # noqa: S311  not a secret
            worker.kill()
            kills += 1
        it.service.start_worker()
        settled = wait_for(lambda: not it.lost(accepted), 120)
        time.sleep(5)  # for late messages
        counts, statuses = it.mailbox.counts(), it.statuses()
        twice = [identifier for identifier, number in counts.items() if number > 1]
        show("kills", kills, seconds=round(time.monotonic() - started))
        show("accepted", len(accepted), arrived=len(counts), foreign=len(set(counts) - set(accepted)))
        show("arrived more than once", len(twice), bound=kills * THREADS * LARGEST_BATCH, most=max(counts.values()))
        show("rows with an uncertain attempt", it.doubts())
        show("rows not delivered", sum(statuses[identifier] not in FINAL_ENOUGH for identifier in accepted))
        assert settled is not None
        assert set(counts) == set(accepted)
        assert len(twice) <= kills * THREADS * LARGEST_BATCH
        assert it.doubts() >= len(twice), "a message arrived twice without an uncertain attempt"
        show("passed", True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, embedded="sqlite" in sys.argv)
