"""Text messages that people send to a service. Source: docs/reference/sending-api.md §17.4, §19.3."""

import uuid
from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from notifications.models.service import Service
from notifications.recipients import phone


class ReceivedTextQuerySet(models.QuerySet["ReceivedText"]):
    def newest_of_senders(self) -> Self:
        """Return the newest text of each sender to each service: one row for each conversation."""
        later = ReceivedText.objects.filter(
            Q(created_at__gt=OuterRef("created_at")) | Q(created_at=OuterRef("created_at"), id__gt=OuterRef("id")),
            service=OuterRef("service"),
            user_number=OuterRef("user_number"),
        )
        return self.filter(~Exists(later))


class ReceivedText(models.Model):
    """A received text message. user_number: the sender, normalised if it is a valid phone number, else unchanged."""

    title_is_recipient = True
    recipient_fields = ("user_number",)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="received_texts", db_index=False)
    notify_number = models.CharField(max_length=40)
    user_number = models.CharField(max_length=255)
    content = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    objects = ReceivedTextQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["service", "-created_at", "-id"], name="received_text_list"),
            models.Index(fields=["user_number", "service", "-created_at", "-id"], name="received_text_of_sender"),
        ]

    def __str__(self) -> str:
        return f"Received text {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        return phone.displayed(self.user_number)
