"""The pools of one worker: a Celery worker for each kind of work, so that slow work does not delay other work.

The pools are forked from one process that has imported all modules, and share its memory. docs/scaling.md states how
much that saves. The imports below include modules that Celery would import later, in each process.
"""

import contextlib
import gc
import os
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType

import celery.bin.celery
import celery.concurrency.prefork
import celery.worker.consumer  # noqa: F401  for the processes forked from this one
import cffi.cparser  # type: ignore[import-untyped]  # noqa: F401
import structlog
from celery import signals
from celery.exceptions import SecurityWarning

from config.queue import worker_processes
from config.queue.app import app

STOP_SECONDS = 30  # for running tasks; CELERY_TASK_TIME_LIMIT ends tasks that send
RESTART_SECONDS = 2  # a pool that fails at once must not overload the machine
_POLL_SECONDS = 0.1

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    queues: tuple[str, ...]
    processes: int

    def run(self) -> None:
        """Run this pool until it is asked to stop. Raises SystemExit."""
        worker_processes.this_process.queues = self.queues
        # Gossip, mingle and heartbeat are messages between workers. The file queue does not support them.
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        which = ["--queues", ",".join(self.queues), "--hostname", f"{'+'.join(self.queues)}-{os.getpid()}@%h"]
        app.worker_main(
            ["--quiet", "worker", "--loglevel", "INFO", "--concurrency", str(self.processes), *which, *quiet]
        )


class Pools:
    """Forks the pools, watches them, and restarts a pool that has died."""

    def __init__(self, pools: list[Pool]) -> None:
        self._pools = pools
        self._running: dict[int, Pool] = {}
        self._is_stopping = False
        self._stop_by = 0.0

    def run(self) -> None:
        """Run until asked to stop. Pools that still run after STOP_SECONDS are killed, which is safe for tasks."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask_to_stop)
        if os.geteuid() == 0:
            log.warning("worker.runs_as_root")
            # Celery warns in ten lines in each pool, because messages could contain code. Here they are JSON only.
            warnings.filterwarnings("ignore", category=SecurityWarning)
        gc.freeze()  # otherwise garbage collection in a child would copy all shared pages
        ready, ready_writer = os.pipe()
        os.set_blocking(ready, False)
        for pool in self._pools:
            self._fork(pool, ready_writer)
        waiting_for = len(self._pools)
        while self._running:
            if waiting_for:
                waiting_for -= _read(ready)
                if not waiting_for:
                    log.info("worker.ready")
            self._restart_ended(ready_writer)
            if self._is_stopping and time.monotonic() > self._stop_by:
                self._signal(signal.SIGKILL)
            time.sleep(_POLL_SECONDS)

    def _fork(self, pool: Pool, ready_writer: int, *, after_seconds: float = 0) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid:
            self._running[pid] = pool
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
        signals.worker_ready.connect(lambda **kwargs: os.write(ready_writer, b"."), weak=False)
        time.sleep(after_seconds)
        # Celery's shared memory is a file in a temporary folder, which `os._exit` would leave behind.
        with tempfile.TemporaryDirectory(prefix="signalbox-pool-") as tempfile.tempdir, contextlib.suppress(SystemExit):
            pool.run()
        os._exit(0)

    def _restart_ended(self, ready_writer: int) -> None:
        """Remove the pools that have ended, and restart those that were not asked to stop."""
        for pid, code in _ended(self._running).items():
            pool = self._running.pop(pid)
            if not self._is_stopping:
                log.error("worker.pool_died", queues=pool.queues, code=code)
                self._fork(pool, ready_writer, after_seconds=RESTART_SECONDS)

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        if not self._is_stopping:
            self._is_stopping, self._stop_by = True, time.monotonic() + STOP_SECONDS
        self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._running:
            os.kill(pid, number)  # not reaped yet, so the pid is still valid


def _ended(running: Mapping[int, Pool]) -> dict[int, int]:
    ended = {}
    for pid in running:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            ended[pid] = os.waitstatus_to_exitcode(status)
    return ended


def _read(ready: int) -> int:
    try:
        return len(os.read(ready, 64))
    except BlockingIOError:
        return 0


def _end_with(parent: int) -> None:
    """Stop this process when its parent has ended, because no other process would stop it."""
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)
