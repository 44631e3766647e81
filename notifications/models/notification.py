"""One message to one recipient. This row is the truth and the queue; the broker only carries its id.

Source: the sending contract §17 to §19; Security and reliability §10.
"""

import uuid

from django.db import models
from django.utils import timezone

from notifications.models.api_key import ApiKey, KeyType
from notifications.models.sender import ReplyToAddress, SmsSender
from notifications.models.service import Service


class Channel(models.TextChoices):
    SMS = "sms", "Text message"
    EMAIL = "email", "Email"


class Origin(models.TextChoices):
    API = "api", "API"
    CONSOLE = "console", "Console"


class Status(models.TextChoices):
    CREATED = "created"
    SENDING = "sending"
    SENT = "sent"
    PENDING = "pending"
    DELIVERED = "delivered"
    TEMPORARY_FAILURE = "temporary-failure"
    PERMANENT_FAILURE = "permanent-failure"
    TECHNICAL_FAILURE = "technical-failure"


class Notification(models.Model):
    """A message as accepted, and how far it has come.

    recipient: as the caller gave it, less ignorable characters; normalised_recipient: used to send and to compare.
    body: the filled text, for an email its Markdown source; it is what the answer showed and what is sent.
    attempt: how many claims there have been; it tells a late finisher that the row is no longer its own.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    api_key = models.ForeignKey(ApiKey, on_delete=models.SET_NULL, null=True, db_index=False)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    origin = models.CharField(max_length=7, choices=Origin.choices, default=Origin.API)
    created_by = models.CharField(max_length=255, blank=True)
    request_id = models.CharField(max_length=36, blank=True)

    channel = models.CharField(max_length=5, choices=Channel.choices)
    template = models.ForeignKey("notifications.Template", on_delete=models.CASCADE, db_index=False)
    template_version = models.PositiveIntegerField()
    recipient = models.CharField(max_length=400)
    normalised_recipient = models.CharField(max_length=400)
    reference = models.CharField(max_length=1000, null=True)  # noqa: DJ001  null is "none given", "" is a reference
    subject = models.TextField(null=True)  # noqa: DJ001  null for a text message
    body = models.TextField()
    unsubscribe_link = models.BooleanField(default=False)
    one_click_unsubscribe_url = models.TextField(null=True)  # noqa: DJ001  null is "none given"
    sms_sender = models.ForeignKey(SmsSender, on_delete=models.SET_NULL, null=True, db_index=False)
    reply_to = models.ForeignKey(ReplyToAddress, on_delete=models.SET_NULL, null=True, db_index=False)
    parts = models.PositiveSmallIntegerField(default=0)
    rate_multiplier = models.PositiveSmallIntegerField(default=0)
    is_international = models.BooleanField(default=False)

    status = models.CharField(max_length=20, choices=Status.choices, default=Status.CREATED)
    created_at = models.DateTimeField(default=timezone.now)
    scheduled_for = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)

    due_at = models.DateTimeField(default=timezone.now)
    next_attempt_at = models.DateTimeField(default=timezone.now)
    claimed_until = models.DateTimeField(null=True)
    enqueued_at = models.DateTimeField(null=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    failed_attempts = models.PositiveSmallIntegerField(default=0)
    provider = models.CharField(max_length=60, blank=True)
    provider_reference = models.CharField(max_length=255, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["service", "key_type", "-created_at", "-id"], name="notification_list"),
            models.Index(
                fields=["service", "reference"], condition=~models.Q(reference=None), name="notification_reference"
            ),
            models.Index(fields=["next_attempt_at"], condition=models.Q(status="created"), name="notification_due"),
        ]

    def __str__(self) -> str:
        return f"Message {str(self.id)[:8]}"
