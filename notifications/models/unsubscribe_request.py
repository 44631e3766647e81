"""Unsubscribe requests: recipients want no more emails of a template. A request outlives its message."""

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone

from notifications.models.service import Service


class UnsubscribeRequestQuerySet(models.QuerySet["UnsubscribeRequest"]):
    def waiting(self) -> Self:
        """Return the requests that staff have not marked as done."""
        return self.filter(done_at=None)

    def to_forget(self, *services: Service) -> Self:
        """Return the done requests that are older than the equal retention of these services, oldest first."""
        kept_since = timezone.now() - timedelta(days=services[0].unsubscribe_request_days)
        return self.filter(service__in=services, done_at__lt=kept_since).order_by("done_at")


class UnsubscribeRequest(models.Model):
    """A confirmed request, at most one for each email.

    notification_id: not a foreign key, because messages are deleted earlier
    recipient: as the caller gave it; email_created_at: when the service sent the email
    """

    title_is_recipient = True
    recipient_fields = ("recipient",)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="unsubscribe_requests", db_index=False)
    template = models.ForeignKey("notifications.Template", on_delete=models.CASCADE, db_index=False)
    notification_id = models.UUIDField(unique=True)
    recipient = models.CharField(max_length=400)
    email_created_at = models.DateTimeField("email sent")
    created_at = models.DateTimeField("requested", default=timezone.now)
    done_at = models.DateTimeField(null=True)
    done_by = models.CharField(max_length=255, blank=True)

    objects = UnsubscribeRequestQuerySet.as_manager()

    class Meta:
        db_table = "notifications_unsubscribe_request"  # the default name belongs to the earlier table
        indexes = [
            models.Index(fields=["service", "-created_at", "-id"], name="unsubscribe_request_list"),
            models.Index(
                fields=["service", "done_at"], condition=~models.Q(done_at=None), name="unsubscribe_request_done"
            ),
        ]

    def __str__(self) -> str:
        return f"Unsubscribe request {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        return self.recipient
