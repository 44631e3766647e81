"""Ask heavy questions beside callers who write: `python -m benchmarks.faults.heavy_queries [million records]`.

Two web processes answer 2 callers who write single records, while others ask in turn: a question that takes 10
seconds, one that needs 4 GB of memory, and 20 short ones at once. It passes if each question has one of its answers,
99 % of the POSTs take at most 250 ms, and no web process grows by 10 MiB. Source: docs/reference/column-files.md §5.

Cases: D8.
"""

import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from typing import NamedTuple

from benchmarks import large_data_sets, records
from benchmarks.faults.killed_imports import MOST_P99_MS, posts
from benchmarks.faults.stand import show, show_machine
from benchmarks.frame import processes
from benchmarks.frame.stand import stand
from benchmarks.records import Writable

MOST_GROWTH_MIB = 10
# A text of its own for each record, so that the different ones of 20 million records need 4 GB.
_OWN_TEXT = ", 't' || n || repeat('-', 150) AS \"text:own\""


class Case(NamedTuple):
    """A question that `callers` ask again and again. statuses: those that it may have"""

    question: str
    callers: int
    statuses: set[int]


CASES = {
    "a question of 10 s": Case(
        "group_by=page&collect=ms:median&collect=ms:stddev&collect=user:distinct&collect=own:distinct", 1, {400}
    ),
    "a question of 4 GB": Case("group_by=channel&collect=own:distinct", 1, {400}),
    "20 questions at once": Case("group_by=page&sort_by=_count:descending&limit=10", 20, {200, 400, 503}),
}


def main(millions: int) -> None:
    show_machine()
    # No process is replaced meanwhile, so that each one's memory can be compared.
    with stand(web=2, GUNICORN_CMD_ARGS="--max-requests 0") as it:
        large, other = records.make(it), records.make(it)
        large_data_sets.generate(it.service.environment, large.id, millions * 1_000_000, more=_OWN_TEXT)
        webs = processes.children(it.service.web.pid)
        for _ in range(4):  # so that both processes have loaded what they need
            ask(large, CASES["20 questions at once"].question)
        alone = posts(other)
        show("POSTs alone", alone.requests, p50_ms=alone.p50_ms, p99_ms=alone.p99_ms)
        before = {pid: processes.resident_mib(pid) for pid in webs}
        worst = 0.0
        for name, case in CASES.items():
            found = Asking(large, case)
            answers = posts(other)
            found.stop()
            statuses = {str(status): number for status, number in sorted(found.statuses.items())}
            show(f"POSTs beside {name}", answers.requests, p50_ms=answers.p50_ms, p99_ms=answers.p99_ms, asked=statuses)
            assert found.statuses.keys() <= case.statuses, found.statuses
            worst = max(worst, answers.p99_ms)
        growth = max(processes.resident_mib(pid) - before[pid] for pid in webs)
        show("a web process grew by, MiB", round(growth, 1))
        assert worst <= MOST_P99_MS
        assert growth <= MOST_GROWTH_MIB
        show("passed", True)


class Asking:
    """Callers who ask a question again and again until `stop`."""

    def __init__(self, data_set: Writable, case: Case) -> None:
        self.statuses: Counter[int] = Counter()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._ask, args=(data_set, case.question)) for _ in range(case.callers)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, data_set: Writable, question: str) -> None:
        while not self._stop.is_set():
            status = ask(data_set, question)
            self.statuses[status] += 1
            if status == 503:
                time.sleep(1)  # as its `Retry-After` asks


def ask(data_set: Writable, question: str) -> int:
    request = urllib.request.Request(f"{data_set.url}?{question}", headers=data_set.headers)  # noqa: S310  our own
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.read()
        return error.code


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
