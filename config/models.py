"""What the processes tell one another through the database, since it is the one thing they all share."""

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now


class Presence(models.Model):
    """When a process of this name was last seen, and which one it was. A name that must be unique is also a lock."""

    name = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=64)
    seen_at = models.DateTimeField()

    class Meta:
        db_table = "process_presence"

    def __str__(self) -> str:
        return self.name


def note(name: str, holder: str) -> None:
    """Say that `holder` is there. By the database's clock: those of two machines differ."""
    if not Presence.objects.filter(name=name).update(holder=holder, seen_at=Now()):
        Presence.objects.bulk_create([Presence(name=name, holder=holder, seen_at=Now())], ignore_conflicts=True)


def hold(name: str, holder: str, *, seconds: float) -> bool:
    """Take the name, or keep it, unless another holder has been seen within `seconds`. Returns whether it is ours.

    One conditional UPDATE decides between two that ask at once.
    """
    stale = models.Q(seen_at__lt=Now() - timedelta(seconds=seconds))
    mine = Presence.objects.filter(models.Q(holder=holder) | stale, name=name)
    if mine.update(holder=holder, seen_at=Now()):
        return True
    Presence.objects.bulk_create([Presence(name=name, holder=holder, seen_at=Now())], ignore_conflicts=True)
    return Presence.objects.filter(name=name, holder=holder).exists()


def release(name: str, holder: str) -> None:
    """Give the name back, if it is still this holder's."""
    Presence.objects.filter(name=name, holder=holder).delete()


def is_there(name: str, *, within_seconds: float) -> bool:
    return Presence.objects.filter(name=name, seen_at__gte=Now() - timedelta(seconds=within_seconds)).exists()


class Figure(models.Model):
    """What all processes have counted under one name and one set of labels; config/figures.py adds to it."""

    name = models.CharField(max_length=60)
    labels = models.TextField()
    value = models.FloatField(default=0)

    class Meta:
        db_table = "figure"
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="figure_unique")]

    def __str__(self) -> str:
        return self.name
