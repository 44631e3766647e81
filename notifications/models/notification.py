"""One message to one recipient. This row is the truth and the queue; the broker only carries its id.

Source: the sending contract §17 to §19; Security and reliability §10.
"""

import json
import uuid
from datetime import datetime, timedelta
from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from config import sealing
from notifications.models.api_key import ApiKey, KeyType
from notifications.models.sender import ReplyToAddress, SmsSender
from notifications.models.service import Service
from notifications.models.status import COMPLETED, Status, sources


class Channel(models.TextChoices):
    SMS = "sms", "Text message"
    EMAIL = "email", "Email"


class Origin(models.TextChoices):
    API = "api", "API"
    CONSOLE = "console", "Console"


class NotificationQuerySet(models.QuerySet["Notification"]):
    """The table as a queue, and the one way a status changes outside a claim."""

    def due(self) -> Self:
        """Return the messages whose time has come, that no worker holds and that nobody was told of lately.

        A hint given before the time came told nobody anything.
        """
        hint_lasts = timedelta(seconds=settings.DELIVERY_HINT_SECONDS)
        untold = Q(enqueued_at=None) | Q(enqueued_at__lt=Now() - hint_lasts)
        told_too_early = Q(enqueued_at__lt=models.F("next_attempt_at"))
        return self.filter(
            Q(claimed_until=None) | Q(claimed_until__lt=Now()),
            untold | told_too_early,
            status=Status.CREATED,
            next_attempt_at__lte=Now(),
        )

    def due_in_turn(self, limit: int) -> list[UUID]:
        """Return up to `limit` ids of due messages, an equal share for each service, oldest first in each.

        What a service does not need of its share goes to the others at the next call.
        """
        services = list(Service.objects.filter(Exists(self.due().filter(service=OuterRef("pk")))))
        share = max(1, limit // max(1, len(services)))
        shares = [
            self.due().filter(service=service).order_by("next_attempt_at").values_list("id", flat=True)[:share]
            for service in services
        ]
        return [identifier for ids in shares for identifier in ids][:limit]

    def mark_enqueued(self) -> int:
        return self.update(enqueued_at=Now())

    def advance(self, status: Status, at: datetime) -> int:
        """Move these messages on, where the table of statuses allows it. Returns how many moved."""
        changes: dict[str, object] = {"status": status, "sealed_outgoing": None}
        if status in COMPLETED:
            changes["completed_at"] = at
        return self.filter(status__in=sources(status)).update(**changes)

    def forget_sealed(self) -> int:
        """Clear what is still sealed of messages that have ended or been handed over. Returns of how many."""
        ended = self.exclude(status=Status.CREATED).exclude(sealed_outgoing=None)
        return ended.update(sealed_outgoing=None)

    def silent_since(self, moment: datetime) -> Self:
        """Return what a provider took before this moment and never reported on."""
        return self.filter(status__in=[Status.SENDING, Status.PENDING], sent_at__lt=moment)


class Notification(models.Model):
    """A message as accepted, and how far it has come.

    recipient: as the caller gave it, less ignorable characters; normalised_recipient: used to send and to compare.
    body: the filled text, for an email its Markdown source; it is what the answer showed and what is sent.
    due_at: from when on it should go; the give-up time counts from here, and retries move only `next_attempt_at`.
    sealed_outgoing: subject and body with whole links to files, until the message has ended or been handed over; null
    where there are no files. What is kept readable has the links without their keys.
    attempt: how many claims there have been; it tells a late finisher that the row is no longer its own.
    attempts: what came of each: {"at", "provider", "outcome", "reply", "ms"}, in order.

    The moments of the queue are the database's, so that no web server's clock decides what is due.
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
    sealed_outgoing = models.BinaryField(null=True, editable=False)
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

    due_at = models.DateTimeField(db_default=Now())
    next_attempt_at = models.DateTimeField(db_default=Now())
    claimed_until = models.DateTimeField(null=True)
    enqueued_at = models.DateTimeField(null=True, db_default=Now())
    attempt = models.PositiveSmallIntegerField(default=0)
    failed_attempts = models.PositiveSmallIntegerField(default=0)
    attempts = models.JSONField(default=list)
    provider = models.CharField(max_length=60, blank=True)
    provider_reference = models.CharField(max_length=255, blank=True)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["service", "key_type", "-created_at", "-id"], name="notification_list"),
            models.Index(
                fields=["service", "reference"], condition=~models.Q(reference=None), name="notification_reference"
            ),
            models.Index(
                fields=["service", "next_attempt_at"], condition=models.Q(status="created"), name="notification_due"
            ),
            models.Index(
                fields=["sent_at"], condition=models.Q(status__in=["sending", "pending"]), name="notification_silent"
            ),
            models.Index(fields=["status"], condition=~models.Q(sealed_outgoing=None), name="notification_sealed"),
        ]

    def __str__(self) -> str:
        return f"Message {str(self.id)[:8]}"

    @property
    def outgoing(self) -> tuple[str, str]:
        """Return subject and body as the recipient gets them. Raises config.sealing.SealBroken."""
        if self.sealed_outgoing is None:
            return self.subject or "", self.body
        plain = sealing.unseal(bytes(self.sealed_outgoing), table="notification", column="outgoing", row=str(self.id))
        subject, body = json.loads(plain)
        return subject, body

    def set_outgoing(self, subject: str, body: str) -> None:
        """Seal subject and body with whole links into this row (not saved)."""
        plain = json.dumps([subject, body])
        self.sealed_outgoing = sealing.seal(plain, table="notification", column="outgoing", row=str(self.id))
