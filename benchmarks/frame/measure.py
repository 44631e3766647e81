"""Run one round of load and measure the CPU time of the web processes and PostgreSQL."""

from dataclasses import dataclass

from benchmarks.frame import load, processes
from benchmarks.frame.load import Answers, Call
from benchmarks.frame.stand import Stand


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round. web_ms, database_ms: CPU time per answer"""

    answers: Answers
    web_ms: float
    database_ms: float


def measure(it: Stand, call: Call, web: int, clients: int, seconds: float) -> Round:
    """Run a round. web: the process id of the server"""
    load.warm_up(call, clients=clients)
    pids = (web, it.postgres.program.pid)
    before = [processes.cpu_seconds(pid) for pid in pids]
    answers = load.run(call, clients=clients, seconds=seconds)
    spent = [processes.cpu_seconds(pid) - then for pid, then in zip(pids, before, strict=True)]
    web_ms, database_ms = (seconds * 1000 / answers.requests for seconds in spent)
    return Round(answers=answers, web_ms=web_ms, database_ms=database_ms)
