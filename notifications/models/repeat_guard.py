"""The messages that a repeat guard remembers. Source: docs/reference/bulk-sending.md §6."""

from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone

from notifications.models.service import Service
from notifications.validation.services import MAX_REPEAT_GUARD_MINUTES


class RepeatGuardQuerySet(models.QuerySet["RepeatGuard"]):
    def within(self, minutes: int) -> Self:
        """Return the rows whose message is at most this old."""
        return self.filter(created_at__gt=timezone.now() - timedelta(minutes=minutes))

    def to_forget(self) -> Self:
        return self.filter(created_at__lte=timezone.now() - timedelta(minutes=MAX_REPEAT_GUARD_MINUTES))


class RepeatGuard(models.Model):
    """The first message with a template, recipient, key type and reference. Its unique hash decides races.

    content_hash: an HMAC of the four, so that the row reveals nothing after the message is deleted
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    content_hash = models.CharField(max_length=64)
    message_id = models.UUIDField()
    created_at = models.DateTimeField(default=timezone.now)

    objects = RepeatGuardQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "content_hash"], name="repeat_guard_unique")]
        indexes = [models.Index(fields=["created_at"], name="repeat_guard_by_time")]

    def __str__(self) -> str:
        return f"Message {str(self.message_id)[:8]}"
