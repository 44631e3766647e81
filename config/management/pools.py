"""The pools of one worker: a Celery worker for each kind of work, so that a slow kind never holds up another.

They are forked from one process that has imported everything, and share its memory; what that saves stands in
docs/scaling.md. Started one by one they would import everything five times. "Everything" is also what Celery's command
and its processes import only when they run, cffi among it: each of a dozen processes would do so for itself.
"""

import gc
import os
import signal
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

from config.celery import app

STOP_SECONDS = 30  # for the tasks in hand; CELERY_TASK_TIME_LIMIT ends those that send
RESTART_SECONDS = 2  # one that dies at once must not take the machine with it
_LOOK_SECONDS = 0.1

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    queues: tuple[str, ...]
    processes: int

    def run(self) -> None:
        """Be this pool until asked to stop. Ends with SystemExit."""
        # Gossip, mingle and heartbeat are talk between workers: the file queue cannot carry it, and nobody listens.
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        which = ["--queues", ",".join(self.queues), "--hostname", f"{'+'.join(self.queues)}-{os.getpid()}@%h"]
        app.worker_main(
            ["--quiet", "worker", "--loglevel", "INFO", "--concurrency", str(self.processes), *which, *quiet]
        )


class Pools:
    """Forks the pools, watches them, and starts one that has died again."""

    def __init__(self, pools: list[Pool]) -> None:
        self._pools = pools
        self._running: dict[int, Pool] = {}
        self._died: list[tuple[float, Pool]] = []  # from when on to start it again
        self._is_stopping = False
        self._stop_by = 0.0

    def run(self) -> None:
        """Run until asked to stop; what has not ended STOP_SECONDS later is ended: every task may be killed."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask_to_stop)
        if os.geteuid() == 0:
            log.warning("worker.runs_as_root")
            # Celery says it in ten lines, in each pool. It fears code in messages; here they are JSON alone.
            warnings.filterwarnings("ignore", category=SecurityWarning)
        gc.freeze()  # or the children's first collection would write to every page they share
        ready, told = os.pipe()
        os.set_blocking(ready, False)
        for pool in self._pools:
            self._fork(pool, told)
        waiting_for = len(self._pools)
        while self._running or self._died:
            if waiting_for:
                waiting_for -= _read(ready)
                if not waiting_for:
                    log.info("worker.ready")
            self._bury(told)
            if self._is_stopping and time.monotonic() > self._stop_by:
                self._signal(signal.SIGKILL)
            time.sleep(_LOOK_SECONDS)

    def _fork(self, pool: Pool, told: int) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid:
            self._running[pid] = pool
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
        signals.worker_ready.connect(lambda **kwargs: os.write(told, b"."), weak=False)
        pool.run()
        os._exit(0)

    def _bury(self, told: int) -> None:
        """See which pools have ended. One that nobody asked to gets a successor: the others go on meanwhile."""
        now = time.monotonic()
        for pid, code in _ended(self._running).items():
            pool = self._running.pop(pid)
            if not self._is_stopping:
                log.error("worker.pool_died", queues=pool.queues, code=code)
                self._died.append((now + RESTART_SECONDS, pool))
        due = [entry for entry in self._died if self._is_stopping or entry[0] <= now]
        for entry in due:
            self._died.remove(entry)
            if not self._is_stopping:
                self._fork(entry[1], told)

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        if not self._is_stopping:
            self._is_stopping, self._stop_by = True, time.monotonic() + STOP_SECONDS
        self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._running:
            os.kill(pid, number)  # not buried yet, so the number is still its own


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
    """Stop when the parent is gone, whatever became of it: nobody would stop us then."""
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)
