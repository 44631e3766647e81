"""What the sandbox provider was handed: the recipient's mailbox in development.

Source: Developer experience §9.
"""

import uuid

from django.db import models
from django.utils import timezone

from notifications.models.notification import Channel


class SandboxMessage(models.Model):
    """One message that would have arrived. `sealed` is its JSON: to, from, subject, text, html, headers."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    notification_id = models.UUIDField(db_index=True)
    channel = models.CharField(max_length=5, choices=Channel.choices)
    sealed = models.BinaryField()
    received_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ["-received_at"]

    def __str__(self) -> str:
        return f"Sandbox message {str(self.id)[:8]}"
