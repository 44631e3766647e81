"""Pauses of a channel or a provider: operators stop sending through it, and messages wait.

A pause stays as a row after its end, because the give-up time of a message leaves out the time in which it had to wait.
Source: docs/reference/security.md §11.
"""

from typing import Self

from django.db import models
from django.utils import timezone


class PauseKind(models.TextChoices):
    CHANNEL = "channel"
    PROVIDER = "provider"


class SendingPauseQuerySet(models.QuerySet["SendingPause"]):
    def current(self) -> Self:
        return self.filter(ended_at=None)


class SendingPause(models.Model):
    """One pause. name: a channel, or the name of a provider in PROVIDERS; by, ended_by: user names."""

    kind = models.CharField(max_length=8, choices=PauseKind.choices)
    name = models.CharField(max_length=60)
    reason = models.CharField(max_length=200, blank=True)
    since = models.DateTimeField(default=timezone.now)
    by = models.CharField(max_length=255)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=255, blank=True)

    objects = SendingPauseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "name"], condition=models.Q(ended_at__isnull=True), name="sending_pause_one_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"Pause of the {self.kind} {self.name}"
