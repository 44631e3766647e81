"""What happens next to messages of the sandbox: the rules that choose it, and the events that are due.

Source: docs/reference/running.md §9.
"""

import uuid
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import F
from django.db.models.functions import Now
from django.dispatch import Signal
from django.utils import timezone

from notifications.models.api_key import ApiKey
from notifications.models.channel import Channel
from notifications.models.notification import Notification
from notifications.models.status import Status
from notifications.models.template import Template

MOST_RULES = 200
MAX_PATTERN_CHARACTERS, MAX_REPLY_CHARACTERS = 400, 1000

# Sent in the transaction that stores events, with `seconds`: the time until they are due.
sandbox_events_stored = Signal()


class SandboxOutcome(models.TextChoices):
    """What the sandbox does with a message. NO_RECEIPT: it accepts the message and never reports a result."""

    DELIVERED = "delivered", "Delivered"
    HARD_BOUNCE = "hard-bounce", "Hard bounce"
    SOFT_BOUNCE = "soft-bounce", "Soft bounce, then delivered"
    COMPLAINT = "complaint", "Delivered, then a complaint"
    OUT_OF_OFFICE = "out-of-office", "Delivered, then an out-of-office reply"
    REPLY = "reply", "Delivered, then a reply"
    NO_RECEIPT = "no-receipt", "No result is ever reported"
    PROVIDER_DOWN = "provider-down", "The provider is down"
    PROVIDER_SLOW = "provider-slow", "The provider is slow"


class SandboxRuleQuerySet(models.QuerySet["SandboxRule"]):
    def general(self) -> Self:
        """Return the rules that callers have added. The others are the outcomes that were chosen for one message."""
        return self.filter(notification_id=None)

    def newest(self) -> Self:
        return self.order_by("-created_at", "-id")

    def for_message(self, message_id: UUID) -> Self:
        """Return the outcome that was chosen for a message, then the general rules, newest first."""
        own_first = F("notification_id").asc(nulls_last=True)
        rows = self.general() | self.filter(notification_id=message_id)
        return rows.order_by(own_first, "-created_at", "-id")

    def forget_sent(self) -> None:
        """Delete the outcomes that were chosen for messages that do not wait any longer."""
        waiting = Notification.objects.filter(status=Status.CREATED).values("pk")
        self.exclude(notification_id=None).exclude(notification_id__in=waiting).delete()


class SandboxRule(models.Model):
    """A rule that chooses the outcome of messages. An empty condition matches every message. The newest rule wins.

    notification_id: of the only message that it matches. Such a rule wins over the others
    recipient: a pattern with `*` and `?` for the normalised recipient
    seconds: the time until the outcome happens, or the time that the slow provider takes
    reply: the text of the recipient's reply
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    notification_id = models.UUIDField(null=True)
    channel = models.CharField(max_length=5, choices=Channel.choices, blank=True)
    recipient = models.CharField(max_length=MAX_PATTERN_CHARACTERS, blank=True)
    template = models.ForeignKey(Template, on_delete=models.CASCADE, null=True, related_name="+")
    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, null=True, related_name="+")
    outcome = models.CharField(max_length=13, choices=SandboxOutcome.choices)
    seconds = models.PositiveIntegerField(default=0)
    reply = models.CharField(max_length=MAX_REPLY_CHARACTERS, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = SandboxRuleQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Sandbox rule {str(self.id)[:8]}"

    def matches(self, message: Notification) -> bool:
        """Return whether every condition of the rule is true for a message."""
        return (
            self.notification_id in {None, message.pk}
            and self.channel in {"", message.channel}
            and self.template_id in {None, message.template_id}
            and self.api_key_id in {None, message.api_key_id}
            and (not self.recipient or fnmatchcase(message.normalised_recipient, self.recipient.replace("[", "[[]")))
        )


class SandboxEventQuerySet(models.QuerySet["SandboxEvent"]):
    def due(self) -> Self:
        return self.filter(due_at__lte=Now()).order_by("due_at", "pk")

    def store(self, message_id: UUID, outcome: SandboxOutcome, *, seconds: int, reply: str = "") -> "SandboxEvent":
        """Store one event, and wake a worker for it."""
        # On SQLite a sum has more digits than Now(), so with no delay it would not be due in the same millisecond.
        due_at = Now() + timedelta(seconds=seconds) if seconds else Now()
        event = self.create(notification_id=message_id, outcome=outcome, reply=reply, due_at=due_at)
        sandbox_events_stored.send(SandboxEvent, seconds=seconds)
        return event


class SandboxEvent(models.Model):
    """Something that the recipient or the provider of one message will do. The row is deleted when it is done.

    due_at: by the clock of the database
    """

    notification_id = models.UUIDField(db_index=True)
    outcome = models.CharField(max_length=13, choices=SandboxOutcome.choices)
    reply = models.CharField(max_length=MAX_REPLY_CHARACTERS, blank=True)
    due_at = models.DateTimeField(db_index=True)

    objects = SandboxEventQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Sandbox event {self.pk}"
