"""The processes that run on all machines, as rows with the time of the database."""

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now

from config.queue.lease import Lease


class Presence(models.Model):
    """A process name with its id and the time when it was last seen. For the clock, the row is also a lease."""

    name = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=64)
    seen_at = models.DateTimeField()

    class Meta:
        db_table = "process_presence"

    def __str__(self) -> str:
        return self.name


def note(name: str, holder: str) -> None:
    """Record that the process runs, with the time of the database, as the clocks of machines differ."""
    if not Presence.objects.filter(name=name).update(holder=holder, seen_at=Now()):
        Presence.objects.bulk_create([Presence(name=name, holder=holder, seen_at=Now())], ignore_conflicts=True)


def take(name: str, holder: str, *, seconds: float) -> bool:
    """Take or renew the lease unless another holder was seen within `seconds`. Return whether `holder` has it."""
    lease = _lease(name, holder, seconds)
    if lease.take():
        return True
    Presence.objects.bulk_create([Presence(name=name, holder="", seen_at=Now())], ignore_conflicts=True)
    return lease.take()


def release(name: str, holder: str) -> None:
    """Release the lease if this holder still has it."""
    _lease(name, holder).own_row().delete()


def is_there(name: str, *, within_seconds: float) -> bool:
    return Presence.objects.filter(name=name, seen_at__gte=Now() - timedelta(seconds=within_seconds)).exists()


def _lease(name: str, holder: str, seconds: float = 0) -> Lease:
    return Lease(rows=Presence.objects.filter(name=name), seconds=seconds, holder=holder)
