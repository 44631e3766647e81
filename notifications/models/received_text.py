"""Text messages that people send to a service. Source: docs/reference/sending-api.md §17.4, §19.3."""

import uuid

from django.db import models
from django.utils import timezone

from notifications.models.service import Service


class ReceivedText(models.Model):
    """A received text message. user_number: the sender, normalised if it is a valid phone number, else unchanged."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="received_texts", db_index=False)
    notify_number = models.CharField(max_length=40)
    user_number = models.CharField(max_length=255)
    content = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["service", "-created_at", "-id"], name="received_text_list")]

    def __str__(self) -> str:
        return f"Received text {str(self.id)[:8]}"
