"""Emails that people send to a reply-to address of a service. Source: docs/reference/inbox.md §4."""

import json
import uuid
from dataclasses import asdict, dataclass

from django.db import models
from django.utils import timezone

from config import encryption
from notifications.models.sender import ReplyToAddress
from notifications.models.service import Service, TeamMember


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedContent:
    """What is kept of an email.

    text: plain text, also of an email in HTML
    attachments: the names of the files, which are not kept
    is_shortened: whether the text was longer
    """

    subject: str
    text: str
    attachments: list[str]
    is_shortened: bool = False


class ReceivedEmail(models.Model):
    """A received email.

    notification_id: the message that it answers; not a foreign key, because messages are deleted separately
    sender, normalised_sender: the email address in From, as `Notification` has those of recipients
    content_hash: of its Message-ID, so that an email that arrives twice is stored once
    is_automatic: whether a program wrote it, such as a notice of absence
    """

    title_is_recipient = True
    recipient_fields = ("sender", "normalised_sender")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="received_emails", db_index=False)
    reply_to = models.ForeignKey(ReplyToAddress, on_delete=models.SET_NULL, null=True, db_index=False)
    notification_id = models.UUIDField(null=True)
    sender = models.CharField(max_length=400)
    normalised_sender = models.CharField(max_length=400)
    encrypted_content = models.BinaryField(editable=False)
    content_hash = models.CharField(max_length=64)
    is_automatic = models.BooleanField(default=False)
    created_at = models.DateTimeField("received", default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "content_hash"], name="received_email_unique")]
        indexes = [
            models.Index(fields=["service", "-created_at", "-id"], name="received_email_list"),
            models.Index(fields=["normalised_sender", "service"], name="received_email_of_sender"),
            models.Index(
                fields=["notification_id"], condition=~models.Q(notification_id=None), name="received_email_of_message"
            ),
        ]

    def __str__(self) -> str:
        return f"Received email {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        return self.sender

    @property
    def content(self) -> ReceivedContent:
        """Return the decrypted content. Raises config.encryption.DecryptionFailed."""
        encrypted = bytes(self.encrypted_content)
        plain = encryption.decrypt(encrypted, table="received_email", column="content", row=str(self.id))
        return ReceivedContent(**json.loads(plain))

    def set_content(self, content: ReceivedContent) -> None:
        """Set the encrypted content, without saving."""
        plain = json.dumps(asdict(content))
        self.encrypted_content = encryption.encrypt(plain, table="received_email", column="content", row=str(self.id))


class EmailForward(models.Model):
    """A received email that is sent on to a team member.

    mail_at: when the worker sends it, by the database's clock. Null: it is sent, or was rejected
    refused_at: when the provider rejected it for good
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.ForeignKey(ReceivedEmail, on_delete=models.CASCADE, related_name="forwards")
    member = models.ForeignKey(TeamMember, on_delete=models.CASCADE, db_index=False)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.CharField(max_length=255, blank=True)
    mail_at = models.DateTimeField(null=True)
    refused_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["mail_at"], condition=models.Q(mail_at__isnull=False), name="email_forward_to_mail")
        ]

    def __str__(self) -> str:
        return f"Forwarded email {str(self.id)[:8]}"
