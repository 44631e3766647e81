"""Messages that the sandbox provider received: the recipients' inbox during development.

Source: docs/reference/running.md §9.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone

from config import encryption
from notifications.models.channel import Channel

MOST_KEPT = 2000
KEPT_FOR = timedelta(days=7)


def has_inbox() -> bool:
    """Return whether this installation has a sandbox inbox."""
    return settings.SANDBOX_INBOX or "sandbox" in settings.PROVIDERS


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxContent:
    """The content that the recipient would get. A text message has no subject and no html.

    sender: the sender of a text message, or the From header of an email
    """

    to: str
    sender: str
    text: str
    subject: str | None = None
    html: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class SandboxMessageQuerySet(models.QuerySet["SandboxMessage"]):
    def store(self, notification_id: UUID, channel: Channel, content: SandboxContent) -> "SandboxMessage":
        """Store a message. Its content is encrypted, because it contains full links to files."""
        message = SandboxMessage(notification_id=notification_id, channel=channel)
        message.encrypted_content = encryption.encrypt(
            json.dumps(asdict(content)), table="sandbox_message", column="sealed", row=str(message.id)
        )
        message.save(force_insert=True)
        return message

    def to_forget(self) -> Self:
        """Return the messages to delete: all but the newest MOST_KEPT of the last KEPT_FOR."""
        newest = self.order_by("-received_at").values_list("received_at", flat=True)
        kept_since = timezone.now() - KEPT_FOR
        for oldest_kept in newest[MOST_KEPT - 1 : MOST_KEPT]:
            kept_since = max(kept_since, oldest_kept)
        return self.filter(received_at__lt=kept_since).order_by("received_at")


class SandboxMessage(models.Model):
    """A message in the sandbox inbox. `content` decrypts it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    notification_id = models.UUIDField(db_index=True)
    channel = models.CharField(max_length=5, choices=Channel.choices)
    encrypted_content = models.BinaryField()
    received_at = models.DateTimeField(default=timezone.now, db_index=True)

    objects = SandboxMessageQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at"]

    def __str__(self) -> str:
        return f"Sandbox message {str(self.id)[:8]}"

    @property
    def content(self) -> SandboxContent:
        """Return the decrypted content. Raises config.encryption.DecryptionFailed."""
        plain = encryption.decrypt(
            bytes(self.encrypted_content), table="sandbox_message", column="sealed", row=str(self.id)
        )
        return SandboxContent(**json.loads(plain))
