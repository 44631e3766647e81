"""A recipient's wish to get no more emails like one they got. Source: Rendering §4.9; Staff console §2.4."""

from typing import Self

from django.db import models
from django.utils import timezone

from notifications.models.notification import Notification


class UnsubscribeRequestQuerySet(models.QuerySet["UnsubscribeRequest"]):
    def note(self, notification: Notification) -> None:
        """Keep the wish; one that is there already keeps its moment, also when two come at once."""
        self.bulk_create([UnsubscribeRequest(notification=notification)], ignore_conflicts=True)

    def of(self, notification: Notification) -> Self:
        return self.filter(notification=notification)


class UnsubscribeRequest(models.Model):
    """One wish for each email; it goes with the email's row."""

    notification = models.OneToOneField(Notification, on_delete=models.CASCADE, related_name="unsubscribe_request")
    at = models.DateTimeField(default=timezone.now, db_index=True)

    objects = UnsubscribeRequestQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Unsubscribe request {self.pk}"
