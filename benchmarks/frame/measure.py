"""One round of load, with the CPU it cost the web processes and PostgreSQL."""

from dataclasses import dataclass

from benchmarks.frame import load, processes
from benchmarks.frame.load import Answers, Call
from benchmarks.frame.stand import Stand


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """web_ms, database_ms: of CPU, per answer"""

    answers: Answers
    web_ms: float
    database_ms: float


def measure(it: Stand, call: Call, web: int, clients: int, seconds: float) -> Round:
    """web: the process id of the server that answers"""
    load.warm_up(call, clients=clients)
    pids = (web, it.postgres.program.pid)
    before = [processes.cpu_seconds(pid) for pid in pids]
    answers = load.run(call, clients=clients, seconds=seconds)
    spent = [processes.cpu_seconds(pid) - then for pid, then in zip(pids, before, strict=True)]
    web_ms, database_ms = (seconds * 1000 / answers.requests for seconds in spent)
    return Round(answers=answers, web_ms=web_ms, database_ms=database_ms)
