"""Cases in which a machine runs but the others do not reach it."""

import time

from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Verdict

AWAY_SECONDS = 12
MOST_SECONDS = 5


def web_machine(stand: Stand) -> Verdict:
    """S6: a machine with web, worker and clock is cut off for 12 s. Packets to and from it vanish.

    Only a call that the machine is answering at this moment may get 503.
    """
    verdict = Verdict("S6 web machine cut off 12 s")
    machine = stand.apps[0]
    moments: list[float] = []

    def events() -> None:
        time.sleep(5)
        machine.cut_off()
        moments.append(time.monotonic())
        time.sleep(AWAY_SECONDS)
        machine.rejoin()
        time.sleep(20)

    seen = stand.observe(events)
    verdict.require_always(seen)
    late = [answer.status for answer in seen.refused if answer.at > moments[0]]
    verdict.require(not late, f"calls after the cut got {late}")
    verdict.require(seen.slowest <= MOST_SECONDS, f"the slowest answer took {seen.slowest:.1f} s")
    return verdict
