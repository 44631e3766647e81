"""Keep the database connection of a worker open between two tasks.

Celery closes the connection pool before and after each task. Then every task opens a new connection, which takes longer
than most tasks, and other threads of the process, such as one that receives delivery receipts, find the pool closed.
docs/framework-internals.md lists the private attributes of the framework that this module uses.
"""

from functools import cached_property
from typing import Any

from celery.fixups.django import DjangoFixup, DjangoWorkerFixup  # type: ignore[attr-defined]  # not in celery-types
from django.db import close_old_connections


class _WorkerFixup(DjangoWorkerFixup):  # type: ignore[misc]  # not in celery-types
    """Celery's fixup, except that tasks keep connections. Forked processes still close those of their parent."""

    def validate_models(self) -> None:
        """Do nothing: `manage.py` has set Django up and checked it, once for all workers of all processes."""

    def on_task_prerun(self, sender: Any, **kwargs: Any) -> None:  # Any: the task
        if not getattr(sender.request, "is_eager", False):
            close_old_connections()

    def on_task_postrun(self, sender: Any, **kwargs: Any) -> None:  # Any: the task
        self.on_task_prerun(sender)


class _Fixup(DjangoFixup):
    @cached_property
    def worker_fixup(self) -> DjangoWorkerFixup:
        return _WorkerFixup(self.app)


def fixup(app: Any) -> _Fixup:  # Any: the application, still being made
    """Return the fixup that the Celery application names in `fixups`."""
    made = _Fixup(app)
    made.install()
    return made
