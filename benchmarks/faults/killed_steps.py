"""Kill web, worker and clock with SIGKILL at each step of a send: `python -m benchmarks.faults.killed_steps [word]`.

A dependency holds the process at its step: a lock in PostgreSQL, a frozen Redis, or a slow mail server. It passes if no
message with a 201 is lost, no partial row is left, and every message is delivered within a minute. Only a message whose
acceptance could not be recorded may arrive twice, with the same Message-ID and the outcome `uncertain` in its row.
Source: docs/reference/security.md §9, §10.

Cases: A1.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from aiosmtpd.smtp import SMTP, Envelope, Session

from benchmarks.faults.stand import FINAL_ENOUGH, Answer, Caller, Mailbox, Stand, show, show_machine, stand, wait_for
from tests.servers import Program

MESSAGES, COUNTERS, SERVICES, NAMES = (
    "notifications_notification",
    "notifications_dailycounter",
    "notifications_service",
    "process_presence",
)
REACHED_SECONDS, DONE_SECONDS = 30, 60
WORKER = ("--queues", "send-email,periodic", "--concurrency", "2")

Reached = Callable[[], bool]


class HeldMailbox(Mailbox):
    """Stop every session at the stage in `held`: EHLO, MAIL, RCPT, or DATA (after the whole message).

    before_answer: called when the whole message has arrived
    """

    def __init__(self) -> None:
        self.held = ""
        self.before_answer: Callable[[], object] | None = None
        self.is_there = threading.Event()
        super().__init__()

    async def handle_EHLO(self, server: SMTP, session: Session, envelope: Envelope, hostname: str, *args: Any) -> Any:
        session.host_name = hostname
        await self._stop_at("EHLO")
        return args[0] if args else "250 HELP"

    async def handle_MAIL(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any) -> str:
        await self._stop_at("MAIL")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, to: str, options: Any) -> str:
        await self._stop_at("RCPT")
        return await super().handle_RCPT(server, session, envelope, to, options)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = await super().handle_DATA(server, session, envelope)
        await self._stop_at("DATA")
        if self.before_answer:
            self.before_answer()
        return answer

    async def _stop_at(self, stage: str) -> None:
        if self.held == stage:
            self.is_there.set()
        while self.held == stage:
            await asyncio.sleep(0.01)


@contextmanager
def locked(it: Stand, table: str, statement: str, *, cut: bool = False) -> Iterator[Reached]:
    """Lock a table against writes (the services table against reads). Reached once `statement` waits for the lock.

    cut: end statements that still wait at the end; otherwise the server runs them although their process is dead
    """
    mode = "ACCESS EXCLUSIVE" if table == SERVICES else "SHARE"
    with psycopg.connect(it.postgres.url) as holder, psycopg.connect(it.postgres.url, autocommit=True) as looking:
        holder.execute(f"LOCK TABLE {table} IN {mode} MODE")  # type: ignore[arg-type]  # constant names
        waits = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE %s"
        words = [f"%{statement}%"]
        yield lambda: looking.execute(f"SELECT count(*) {waits}", words).fetchone() != (0,)  # type: ignore[arg-type]
        if cut:
            looking.execute(f"SELECT pg_terminate_backend(pid) {waits}", words)  # type: ignore[arg-type]
        holder.rollback()


@contextmanager
def frozen_redis(it: Stand, is_there: Reached) -> Iterator[Reached]:
    os.kill(it.redis.program.pid, signal.SIGSTOP)
    yield is_there
    os.kill(it.redis.program.pid, signal.SIGCONT)


@contextmanager
def held_mail(it: Stand, stage: str) -> Iterator[Reached]:
    mailbox = it.mailbox
    assert isinstance(mailbox, HeldMailbox)
    mailbox.is_there.clear()
    mailbox.held = stage
    yield mailbox.is_there.is_set
    mailbox.held = ""


@contextmanager
def unnoted(it: Stand) -> Iterator[Reached]:
    """Lock the messages against writes once the mail server has received one."""
    mailbox, waits = it.mailbox, list[Reached]()
    assert isinstance(mailbox, HeldMailbox)
    with ExitStack() as stack:
        mailbox.before_answer = lambda: waits.append(
            stack.enter_context(locked(it, MESSAGES, "provider_reference", cut=True))
        )
        yield lambda: any(is_there() for is_there in waits)
        mailbox.before_answer = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step. rows: number of rows that an interrupted call leaves; arrivals: how often its message may arrive."""

    name: str
    hold: Callable[[Stand], Any]
    rows: int = 1
    arrivals: int = 1


def _stored(it: Stand) -> Reached:
    there = set(it.statuses())
    return lambda: set(it.statuses()) != there


def _after(seconds: float) -> Reached:
    due = time.monotonic() + seconds
    return lambda: time.monotonic() > due


WEB = [
    Step(name="web: looking up the service", hold=lambda it: locked(it, SERVICES, "SELECT"), rows=0),
    # One statement stores and counts. The server completes it although its process is dead.
    Step(name="web: storing the row", hold=lambda it: locked(it, MESSAGES, "INSERT INTO")),
    Step(name="web: counting the message", hold=lambda it: locked(it, COUNTERS, "dailycounter")),
    Step(name="web: committed, publishing the wake-up", hold=lambda it: frozen_redis(it, _stored(it))),
]
SENDING = [
    Step(name="worker: claiming", hold=lambda it: locked(it, MESSAGES, "attempt = attempt + 1")),
    Step(name="worker: greeting the mail server", hold=lambda it: held_mail(it, "EHLO")),
    Step(name="worker: naming the sender", hold=lambda it: held_mail(it, "MAIL")),
    Step(name="worker: naming the recipient", hold=lambda it: held_mail(it, "RCPT")),
    Step(name="worker: message sent, no 250 yet", hold=lambda it: held_mail(it, "DATA"), arrivals=2),
    Step(name="worker: 250, recording it", hold=unnoted, arrivals=2),
]
CLOCK = [
    Step(name="clock: renewing its lease", hold=lambda it: locked(it, NAMES, "UPDATE")),
    Step(name="clock: publishing", hold=lambda it: frozen_redis(it, _after(6))),  # it ticks every 5 s
]


def main(word: str) -> None:
    show_machine()
    with stand(web=1, mailbox=HeldMailbox(), DJANGO_SETTINGS_MODULE="tests.quick_settings") as it:
        service = it.provision("Steps")
        for steps, kill in ((WEB, web_killed), (SENDING, worker_killed), (CLOCK, clock_killed)):
            for step in steps:
                if word in step.name:
                    kill(it, step, Caller(service))
        show("passed", True)


def web_killed(it: Stand, step: Step, caller: Caller) -> None:
    it.service.web.kill()
    it.service.web = it.service.start_web()  # its caches are empty, so it queries everything
    before = set(it.statuses())
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(caller.send(1)))
    with step.hold(it) as is_there:
        thread.start()
        reached = wait_for(is_there, REACHED_SECONDS, every=0.01)
        it.service.web.kill()
    thread.join()
    left = set(it.statuses()) - before
    it.service.web = it.service.start_web()
    worker = start_worker(it)
    also = caller.send(2)
    finish(it, step, reached, sorted(left | {also.id}), worker)
    assert [answer.status for answer in answers] == [0], "the caller got an answer"
    assert also.status == 201
    assert len(left) == step.rows, f"{len(left)} rows"


def worker_killed(it: Stand, step: Step, caller: Caller) -> None:
    one = caller.send(1)
    with step.hold(it) as is_there:
        worker = start_worker(it)
        reached = wait_for(is_there, REACHED_SECONDS, every=0.01)
        worker.kill()
    finish(it, step, reached, [one.id], start_worker(it))


def clock_killed(it: Stand, step: Step, caller: Caller) -> None:
    """Kill the clock. Only its sweep finds a message that is scheduled for later."""
    worker = start_worker(it)
    one = caller.send(1, scheduled_for=(datetime.now(UTC) + timedelta(seconds=15)).isoformat())
    with step.hold(it) as is_there:
        reached = wait_for(is_there, REACHED_SECONDS, every=0.01)
        it.clock.kill()
    it.clock = it.start_clock()
    finish(it, step, reached, [one.id], worker)


def start_worker(it: Stand) -> Program:
    return it.service.start("worker", sys.executable, "manage.py", "worker", *WORKER)


def finish(it: Stand, step: Step, reached: float | None, ids: list[str], worker: Program) -> None:
    """Wait until all messages are delivered and check how often each arrived."""
    settled = wait_for(lambda: not it.lost(ids), DONE_SECONDS)
    arrivals = {identifier: it.mailbox.counts()[identifier] for identifier in ids}
    worker.stop()
    show(step.name, "killed", handed_over_after=settled, arrived=sorted(arrivals.values()), doubts=it.doubts(ids))
    assert reached is not None, "the step was not reached"
    assert settled is not None, "not delivered"
    assert all(it.statuses()[identifier] in FINAL_ENOUGH for identifier in ids)
    assert set(arrivals.values()) == {step.arrivals}
    assert step.arrivals == 1 or it.doubts(ids) >= 1, "a message arrived twice without an uncertain attempt"


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
