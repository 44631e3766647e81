"""The messages that were sent again after a failure. Source: docs/reference/console.md §2.10."""

from typing import Self

from django.db import models
from django.db.models import Q

from notifications.models.notification import Notification


class RetriedMessageQuerySet(models.QuerySet["RetriedMessage"]):
    def of(self, message: Notification) -> Self:
        """Return the retry of a message, and the row that the message is the retry of."""
        return self.filter(Q(message=message.pk) | Q(retry=message.pk))


class RetriedMessage(models.Model):
    """A failed message and the message that was sent in its place: at most one each."""

    message = models.OneToOneField(Notification, on_delete=models.CASCADE, primary_key=True, related_name="retried_as")
    retry = models.OneToOneField(Notification, on_delete=models.CASCADE, related_name="retry_of")

    objects = RetriedMessageQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Retry of message {str(self.message_id)[:8]}"
