"""What a worker does with its database connection between two tasks: it gives it back, and keeps it.

Celery's own way closes the pool of connections before and after each task. Every task then connects anew, which costs
more than most of them do, and another thread of the process, such as one that takes receipts in, finds the pool shut
under its hands.
"""

from functools import cached_property
from typing import Any

from celery.fixups.django import DjangoFixup, DjangoWorkerFixup  # type: ignore[attr-defined]  # not in celery-types
from django.db import close_old_connections


class _WorkerFixup(DjangoWorkerFixup):  # type: ignore[misc]  # likewise
    """Celery's own, but for a task's connections; what a process has from its parent is thrown away as ever."""

    def on_task_prerun(self, sender: Any, **kwargs: Any) -> None:  # Any: what the signal says of the task
        if not getattr(sender.request, "is_eager", False):
            close_old_connections()

    def on_task_postrun(self, sender: Any, **kwargs: Any) -> None:  # Any: as above
        self.on_task_prerun(sender)


class _Fixup(DjangoFixup):
    @cached_property
    def worker_fixup(self) -> DjangoWorkerFixup:
        return _WorkerFixup(self.app)


def fixup(app: Any) -> _Fixup:  # Any: the application, still being made
    """What `fixups` of the Celery application names."""
    made = _Fixup(app)
    made.install()
    return made
