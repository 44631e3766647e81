"""Celery's pool of processes, one that ends as soon as what it has in hand has ended.

By the word prefork in the name of its module Celery knows that connections must not be shared with its processes.
"""

from typing import Any

from celery.concurrency import asynpool, prefork


class Pool(asynpool.AsynPool):
    _cache: dict[int, Any]  # what was asked for and has no answer yet; billiard has no types

    def flush(self) -> None:
        """Forget what no process has been given yet: the queue still holds it.

        Celery forgets also what a process has been given and has not yet said it began. Nobody then reads what becomes
        of it, and at a stop the process waits half a minute for its reader before it ends.
        """
        given = {number: job for number, job in self._cache.items() if job._write_to}
        super().flush()
        self._cache.update({n: job for n, job in given.items() if not job.ready() and job._write_to._is_alive()})


class TaskPool(prefork.TaskPool):
    Pool = Pool
