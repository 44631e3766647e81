"""A process of a worker: threads for each kind of work, so that slow work does not delay other work.

Each kind has a Celery worker of its own, with a consumer and a pool of threads. A thread cannot be ended alone. So the
process ends if a task exceeds its time limit. Its supervisor starts it again, and the claims of its rows expire.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import celery.concurrency.thread
import celery.worker.consumer  # noqa: F401  for the processes that are forked from this one
import structlog
from celery import signals
from celery.app import trace
from celery.beat import Service
from celery.worker import WorkController, state
from django.conf import settings
from django.db import connections

from config.databases import connection_limit, statements
from config.queue import broker, time_limits, worker_processes
from config.queue.app import app
from config.queue.clock import Clock

STOP_SECONDS = 30  # for running tasks; CELERY_TASK_TIME_LIMIT is the longest of those that send
FAILED_STOP_SECONDS = 5  # for other tasks, if one exceeds its time limit
_LOOK_SECONDS = 0.1

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadGroup:
    """Threads for some queues. While all of them are busy, these queues wait, and no others."""

    queues: tuple[str, ...]
    threads: int


def groups_of_all(concurrency: int = 2) -> list[ThreadGroup]:
    """Return the groups of all processes of the settings."""
    return [group for name in settings.WORKER_PROCESSES for group in groups_of(name, concurrency)]


def groups_of(process: str, concurrency: int) -> list[ThreadGroup]:
    """Return the groups of a process of the settings. concurrency: the number of threads of each channel"""
    groups = settings.WORKER_PROCESSES[process]
    return [ThreadGroup(queues=queues, threads=threads or concurrency) for queues, threads in groups.items()]


class _Worker(WorkController):
    """Celery's worker for one group: a consumer, which runs in a thread of its own, and a pool of threads."""

    is_ready = False

    def __init__(self, group: ThreadGroup) -> None:
        self.name = "+".join(group.queues)
        self._queues = group.queues
        # Gossip, mingle and heartbeat are messages between workers. The file queue does not support them.
        super().__init__(
            app=app,
            hostname=f"{self.name}-{os.getpid()}",
            pool="threads",
            concurrency=group.threads,
            use_eventloop=False,  # a process has only one
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )

    def start(self) -> None:
        broker.queues_of_thread.set(self._queues)
        super().start()

    def on_consumer_ready(self, consumer: Any) -> None:  # Any: not in celery-types
        signals.worker_ready.send(sender=consumer)
        connections.close_all()  # the receivers have used them, and this thread needs none
        self.is_ready = True


def run(groups: Sequence[ThreadGroup], *, ready: Callable[[], object], with_clock: bool = False) -> int:
    """Work until asked to stop, and return the exit code. Call it in a process of its own, without threads.

    ready: called once all groups take tasks
    with_clock: publish scheduled tasks, too
    """
    stop, supervisor = threading.Event(), os.getppid()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    statements.allow(statements.WORKER_SECONDS)
    # A task and the thread that relieves it may each use a connection, and the clock and the metrics one.
    connection_limit.allow(2 * sum(group.threads for group in groups) + 2)
    worker_processes.this_process.queues = tuple(queue for group in groups for queue in group.queues)
    trace.setup_worker_optimizations(app)
    workers = [_Worker(group) for group in groups]
    clock = Service(app, scheduler_cls=Clock) if with_clock else None
    signals.worker_process_init.send(sender=None)
    threads = [threading.Thread(target=each.start, name=each.name, daemon=True) for each in workers]
    if clock:
        threads.append(threading.Thread(target=clock.start, name="clock", daemon=True))
    for thread in threads:
        thread.start()
    failure, is_ready = "", False
    while not (stop.wait(_LOOK_SECONDS) or failure or os.getppid() != supervisor):
        if not is_ready and all(worker.is_ready for worker in workers):
            is_ready = True
            ready()
        failure = _failure(threads)
    if failure:
        log.error("worker.failed", reason=failure)
    if clock:
        clock.stop()
        clock.sync()  # it releases the lease, so that another clock can take over at once
    state.should_stop = int(bool(failure))  # type: ignore[assignment]  # typed as always None
    stop_by = time.monotonic() + (FAILED_STOP_SECONDS if failure else STOP_SECONDS)
    for thread in threads[: len(workers)]:
        thread.join(max(0.0, stop_by - time.monotonic()))
    signals.worker_process_shutdown.send(sender=None)
    return int(bool(failure))


def _failure(threads: Sequence[threading.Thread]) -> str:
    """Return why the process must end, or an empty text."""
    if ended := next((thread.name for thread in threads if not thread.is_alive()), ""):
        return f"the thread {ended} has ended"
    task = time_limits.exceeded()
    return f"{task} has exceeded its time limit" if task else ""
