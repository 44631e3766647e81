"""Parts of long received texts, kept until all parts of a text have arrived.

Source: docs/reference/sending-api.md §19.3.
"""

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

WAITS_FOR = timedelta(minutes=10)


class TextPartQuerySet(models.QuerySet["TextPart"]):
    def of_one_text(self, part: "TextPart") -> Self:
        """Return the parts of the same text that have arrived, in order."""
        same = self.filter(provider=part.provider, sender=part.sender, recipient=part.recipient)
        return same.filter(joint=part.joint, total=part.total).order_by("number")

    def overdue(self) -> Self:
        """Return the parts that have waited longer than WAITS_FOR for the rest of their text."""
        return self.filter(received_at__lt=Now() - WAITS_FOR)


class TextPart(models.Model):
    """A part of a text. joint: the number that the sender's phone gives to all parts of one text."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    provider = models.CharField(max_length=60)
    sender = models.CharField(max_length=40)
    recipient = models.CharField(max_length=40)
    joint = models.PositiveIntegerField()
    total = models.PositiveSmallIntegerField()
    number = models.PositiveSmallIntegerField()
    content = models.TextField()
    received_at = models.DateTimeField(default=timezone.now)

    objects = TextPartQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "sender", "recipient", "joint", "total", "number"], name="text_part_once"
            )
        ]

    def __str__(self) -> str:
        return f"Part of a text {str(self.id)[:8]}"
