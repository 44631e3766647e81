"""The processes of all workers on all machines, as rows with the time of the database."""

import os
import socket
import time
from collections import Counter
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, models
from django.db.models.functions import Now

from config.metrics import registry

NOTE_SECONDS = 20
COUNTED_SECONDS = 60  # three notes
_FORGOTTEN_AFTER = timedelta(days=1)


class WorkerProcess(models.Model):
    """A process of a worker with the queues whose tasks it runs."""

    holder = models.CharField(max_length=64, primary_key=True)
    queues = models.CharField(max_length=200)
    seen_at = models.DateTimeField()

    class Meta:
        db_table = "worker_process"

    def __str__(self) -> str:
        return f"Worker process seen at {self.seen_at:%H:%M:%S}"


class _ThisProcess:
    """What this process notes about itself. `worker.run` sets its queues."""

    queues: tuple[str, ...] = ()
    _noted_at = float("-inf")

    @property
    def holder(self) -> str:
        return f"{socket.gethostname()[:50]}-{os.getpid()}"

    def note(self) -> None:
        """Store that this process runs, if NOTE_SECONDS have passed."""
        if time.monotonic() - self._noted_at < NOTE_SECONDS:
            return
        with suppress(DatabaseError):
            WorkerProcess.objects.filter(seen_at__lt=Now() - _FORGOTTEN_AFTER).delete()
            row = WorkerProcess(holder=self.holder, queues=",".join(self.queues), seen_at=Now())
            WorkerProcess.objects.bulk_create(
                [row], update_conflicts=True, unique_fields=["holder"], update_fields=["queues", "seen_at"]
            )
            self._noted_at = time.monotonic()

    def forget(self) -> None:
        with suppress(DatabaseError):
            WorkerProcess.objects.filter(holder=self.holder).delete()


this_process = _ThisProcess()


def begin() -> None:
    """Note this process at every flush of its metrics."""
    registry.also_flush(this_process.note)


def numbers() -> dict[str, int]:
    """Return the number of processes by queue, of all queues of the settings."""
    seen = WorkerProcess.objects.filter(seen_at__gte=Now() - timedelta(seconds=COUNTED_SECONDS))
    counted = Counter(queue for queues in seen.values_list("queues", flat=True) for queue in queues.split(","))
    return {queue: counted[queue] for queue in settings.WORKER_QUEUES}
