"""Celery's pool of processes, changed so that it exits as soon as its running tasks have ended.

The module name must contain `prefork`, so that Celery does not share connections with the processes.
docs/framework-internals.md lists the private attributes of the framework that this module uses.
"""

from typing import Any

from celery.concurrency import asynpool, prefork


class Pool(asynpool.AsynPool):
    _cache: dict[int, Any]  # jobs without a result; billiard has no types

    def flush(self) -> None:
        """Forget the tasks that no process has received; the queue still has them.

        Celery also forgets tasks that a process has received but not yet confirmed. Then no reader takes their results,
        and the process waits for half a minute before it exits.
        """
        given = {number: job for number, job in self._cache.items() if job._write_to}
        super().flush()
        self._cache.update({n: job for n, job in given.items() if not job.ready() and job._write_to._is_alive()})


class TaskPool(prefork.TaskPool):
    Pool = Pool
