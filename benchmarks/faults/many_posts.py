"""Send 10,000 POSTs, 200 at a time, to four web processes: `python -m benchmarks.faults.many_posts [count]`.

A tenth exceeds the daily limit. Calls of another service come first, because a new process loads half of its modules
with its first request. It passes if that tenth gets 429 and the others 201, no connection breaks, there are as many
rows as 201s, 99 % of the answers take at most 2 s, and no web process is larger than 250 MiB.
Source: docs/testing.md, D1.

Cases: D1.
"""

import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.faults.stand import send_all, show, show_answers, show_machine, stand
from tests.servers import processes

CALLERS = 200
PROCESSES = 4
MOST_MIB = 250
IN_TIME_SECONDS = 2
BEFORE = 400


def main(count: int) -> None:
    show_machine()
    with stand(web=PROCESSES) as it:
        limit = count * 9 // 10
        service = it.provision("Many", daily_limits={"email": limit})
        before = {answer.id for answer in send_all(it.provision("Before"), BEFORE, CALLERS)}
        started = time.monotonic()
        answers = send_all(service, count, CALLERS)
        seconds = time.monotonic() - started
        show_answers(answers)
        show("answers a second", round(count / seconds), seconds=round(seconds))
        accepted = {answer.id for answer in answers if answer.status == 201}
        sizes = [resident_mib(pid) for pid in processes(it.service.web.pid)[1:]]
        show("resident memory of the web processes, MiB", sizes)
        rows = set(it.statuses()) - before
        show("rows", len(rows), accepted=len(accepted))
        assert Counter(answer.status for answer in answers) == {201: limit, 429: count - limit}
        assert rows == accepted
        assert len(sizes) == PROCESSES
        assert max(sizes) <= MOST_MIB
        assert sorted(answer.seconds for answer in answers)[int(count * 0.99)] <= IN_TIME_SECONDS
        show("passed", True)


def resident_mib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
