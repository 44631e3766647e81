"""Cases in which a process of one machine restarts or dies."""

import time

from benchmarks.scaleout.application import ROLES
from benchmarks.scaleout.proxies import SETTLE_SECONDS
from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Verdict


def all_restarted(stand: Stand) -> Verdict:
    """S5: web, worker and clock of each machine are restarted in turn, with draining."""
    verdict = Verdict("S5 web, worker, clock restarted in turn")

    def events() -> None:
        time.sleep(3)
        for role in ROLES:
            for machine in stand.apps:
                stand.application.restart(role, machine)
                time.sleep(SETTLE_SECONDS)

    seen = stand.observe(events)
    verdict.require_always(seen)
    verdict.require_no_refusal(seen)
    return verdict


def worker_killed(stand: Stand) -> Verdict:
    """S7: one of two workers is killed (-9), and starts again after 10 s."""
    verdict = Verdict("S7 worker killed (-9)")
    machine = stand.apps[0]

    def events() -> None:
        time.sleep(5)
        stand.application.programs["worker", machine.name].kill()
        time.sleep(10)
        stand.application.start("worker", machine)
        time.sleep(15)

    seen = stand.observe(events)
    verdict.require_always(seen)
    verdict.require_no_refusal(seen)
    return verdict


def pooler_restarted(stand: Stand) -> Verdict:
    """S8: PgBouncer of each machine is restarted."""
    verdict = Verdict("S8 PgBouncer restarted")
    refused: list[float] = []
    for pooler in stand.poolers:

        def events(pooler=pooler) -> None:
            time.sleep(5)
            pooler.restart()
            time.sleep(10)

        seen = stand.observe(events)
        verdict.require_always(seen)
        refused.append(round(seen.refused_seconds, 1))
        verdict.require(seen.refused_seconds <= 2, f"refusals for {seen.refused_seconds:.1f} s, more than 2 s")
    verdict.seen["refused s of each"] = refused
    return verdict
