"""Cases in which the leader of PostgreSQL fails or changes."""

import threading
import time
from contextlib import suppress

import psycopg

from benchmarks.faults.stand import wait_for
from benchmarks.scaleout.machine import Machine
from benchmarks.scaleout.postgresql import CONFIG, Cluster
from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Seen, Verdict

TTL_SECONDS = 20  # of deploy/postgresql/patroni.yml
REJOIN_SECONDS = 60


def leader_killed(stand: Stand) -> Verdict:
    """S1: every process of the leader's machine is killed (-9), PostgreSQL and Patroni. Later it starts again."""
    verdict = Verdict("S1 leader and its Patroni killed (-9)")
    cluster, leader = stand.cluster, stand.cluster.leader()
    other = cluster.other(leader)
    replaced: list[float | None] = []

    def events() -> None:
        time.sleep(5)
        leader.power_off()
        replaced.append(wait_for(lambda: cluster.is_leader(other), 60))
        time.sleep(10)
        cluster.start(leader)
        time.sleep(10)

    seen = stand.observe(events)
    verdict.require_always(seen)
    verdict.seen["new leader after s"] = replaced[0]
    verdict.require(replaced[0] is not None, "the replica did not become the leader")
    _require_short(verdict, seen, TTL_SECONDS + 15)
    _require_rejoined(verdict, cluster, leader)
    return verdict


def switched_over(stand: Stand) -> Verdict:
    """S2: the operator makes the replica the leader."""
    verdict = Verdict("S2 planned switchover")
    cluster, leader = stand.cluster, stand.cluster.leader()
    other = cluster.other(leader)

    def events() -> None:
        time.sleep(5)
        members = ("--leader", leader.name, "--candidate", other.name)
        leader.run("patronictl", "-c", CONFIG, "switchover", "signalbox", *members, "--force", user="postgres")
        time.sleep(20)

    seen = stand.observe(events)
    verdict.require_always(seen)
    verdict.require(cluster.leader() is other, "the replica is not the leader")
    _require_short(verdict, seen, 10)
    _require_rejoined(verdict, cluster, leader)
    return verdict


def leader_cut_off_from_etcd(stand: Stand) -> Verdict:
    """S12: the leader's machine loses its packets to all of etcd, and reaches everything else."""
    verdict = Verdict("S12 leader cut off from etcd")
    cluster, leader = stand.cluster, stand.cluster.leader()
    other = cluster.other(leader)
    writers = Writers(cluster)
    replaced: list[float | None] = []

    def events() -> None:
        time.sleep(5)
        leader.cut_off_from(*cluster.keepers)
        replaced.append(wait_for(lambda: cluster.is_leader(other), 60))
        time.sleep(10)
        leader.rejoin_with(*cluster.keepers)
        time.sleep(10)

    seen = stand.observe(events)
    samples, double = writers.stop()
    verdict.require_always(seen)
    verdict.seen |= {"new leader after s": replaced[0], "samples": samples, "with two writers": double}
    verdict.require(replaced[0] is not None, "the replica did not become the leader")
    verdict.require(samples > 0, "no sample of both servers")
    verdict.require(double == 0, f"both servers accepted writes in {double} of {samples} samples")
    _require_short(verdict, seen, TTL_SECONDS + 15)
    _require_rejoined(verdict, cluster, leader)
    return verdict


class Writers:
    """Ask both servers several times a second whether they accept writes."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._stop = threading.Event()
        self._samples = self._double = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> tuple[int, int]:
        """Return the numbers of samples and of those with two writers."""
        self._stop.set()
        self._thread.join()
        return self._samples, self._double

    def _run(self) -> None:
        while not self._stop.wait(0.3):
            # The first server is asked again after the second: a change of roles between two questions is no error.
            first, second = self._cluster.servers
            writes = [self._writes(server) for server in (first, second, first)]
            self._samples += 1
            self._double += all(writes)

    def _writes(self, server: Machine) -> bool:
        with suppress(psycopg.Error), self._cluster.connect(server) as connection:
            row = connection.execute("SELECT NOT pg_is_in_recovery()").fetchone()
            return bool(row and row[0])
        return False


def _require_short(verdict: Verdict, seen: Seen, seconds: int) -> None:
    held = seen.refused_seconds <= seconds
    verdict.require(held, f"refusals for {seen.refused_seconds:.1f} s, more than {seconds} s")


def _require_rejoined(verdict: Verdict, cluster: Cluster, former: Machine) -> None:
    rejoined = wait_for(lambda: cluster.is_replica(former), REJOIN_SECONDS, every=0.5)
    verdict.require(rejoined is not None, f"the former leader is no replica after {REJOIN_SECONDS} s")
    follows = wait_for(cluster.has_a_synchronous_replica, REJOIN_SECONDS, every=0.5)
    verdict.require(follows is not None, f"no synchronous replica after {REJOIN_SECONDS} s")
