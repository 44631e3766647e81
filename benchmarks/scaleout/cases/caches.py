"""Cases in which Redis fails."""

import time

from benchmarks.faults.stand import wait_for
from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Verdict

MOST_GAP_SECONDS = 15
AWAY_SECONDS = 30


def master_killed(stand: Stand) -> Verdict:
    """S3: the master is killed (-9). Sentinel promotes the other one, and the old one returns as its replica."""
    verdict = Verdict("S3 Redis master killed")
    master = stand.redis.master()
    assert master is not None, "there is not one master"
    other = next(server for server in stand.redis.servers if server is not master)
    taken_over: list[float | None] = []

    def events() -> None:
        time.sleep(5)
        stand.redis.programs[master.name].kill()
        taken_over.append(wait_for(lambda: stand.redis.master() is other, 30))
        time.sleep(15)
        stand.redis.start(master)
        time.sleep(20)

    seen = stand.observe(events)
    verdict.require_always(seen)
    verdict.require_no_refusal(seen)
    verdict.seen["writable after s"] = taken_over[0]
    verdict.require(taken_over[0] is not None, "the replica did not become the master within 30 s")
    verdict.require(seen.longest_gap <= MOST_GAP_SECONDS, f"a hand-over gap of {seen.longest_gap:.1f} s")
    verdict.require(wait_for(lambda: stand.redis.master() is other, 30) is not None, "there is not one master after it")
    return verdict


def both_away(stand: Stand) -> Verdict:
    """S4: both Redis servers are away for 30 s. Calls are accepted, and the messages go when Redis is back."""
    verdict = Verdict("S4 Redis away")
    back: list[float] = []

    def events() -> None:
        time.sleep(5)
        for server in stand.redis.servers:
            stand.redis.programs[server.name].kill()
        time.sleep(AWAY_SECONDS)
        for server in stand.redis.servers:
            stand.redis.start(server)
        back.append(time.monotonic())
        time.sleep(10)

    seen = stand.observe(events)
    waited = [answer.id for answer in seen.answers if answer.status == 201 and answer.at < back[0]]
    first = {identifier: at for at, identifier in reversed(stand.mail.arrivals().rows)}
    last = max((first[identifier] for identifier in waited if identifier in first), default=back[0]) - back[0]
    verdict.require_always(seen)
    verdict.require_no_refusal(seen)
    verdict.seen |= {"waiting": sum(first.get(id, 0) > back[0] for id in waited), "all gone after s": round(last, 1)}
    verdict.require(last <= 60, f"the waiting messages took {last:.0f} s")
    return verdict
