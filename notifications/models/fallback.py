"""The emails that replace text messages if these fail. Source: docs/reference/sending-api.md §18.1."""

import json
from collections.abc import Sequence
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils.crypto import salted_hmac

from config import encryption, mailboxes
from notifications.models.notification import Notification
from notifications.models.sender import ReplyToAddress
from notifications.models.template import Template


class FallbackState(models.TextChoices):
    WAITING = "waiting", "Sent if the text message fails"
    SUBMITTED = "submitted", "Submitted"
    LIMIT_REACHED = "limit-reached", "Not sent: the daily limit of emails was used up"


class FallbackQuerySet(models.QuerySet["Fallback"]):
    def waiting_for(self, ids: Sequence[UUID]) -> Self:
        """Return the fallbacks of these texts that are not decided."""
        return self.filter(message__in=ids, state=FallbackState.WAITING)

    def of_recipient(self, normalised: str) -> Self:
        """Return the fallbacks whose email would go to this normalised email address."""
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        forms = mailboxes.keys_of(normalised)
        return self.filter(recipient_hash__in=[_hash(key, form) for key in keys for form in forms])


class Fallback(models.Model):
    """The email that is submitted if a text message fails: checked and rendered when the text is accepted.

    email: the submitted email; null before that, and after the email is deleted
    encrypted_content: recipient, normalised recipient, subject, body and language, until the email is submitted
    recipient_hash: an HMAC of the normalised recipient with SECRET_KEY, by which the row is found without decrypting
        others
    """

    message = models.OneToOneField(Notification, on_delete=models.CASCADE, primary_key=True, related_name="fallback")
    email = models.OneToOneField(Notification, on_delete=models.SET_NULL, null=True, related_name="fallback_of")
    state = models.CharField(max_length=13, choices=FallbackState.choices, default=FallbackState.WAITING)
    template = models.ForeignKey(Template, on_delete=models.CASCADE, db_index=False, related_name="+")
    template_version = models.PositiveIntegerField()
    unsubscribe_link = models.BooleanField(default=False)
    reply_to = models.ForeignKey(ReplyToAddress, on_delete=models.SET_NULL, null=True, db_index=False, related_name="+")
    encrypted_content = models.BinaryField(null=True, editable=False)
    recipient_hash = models.CharField(max_length=64)

    objects = FallbackQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["recipient_hash"], name="fallback_recipient")]

    def __str__(self) -> str:
        return f"Fallback of message {str(self.message_id)[:8]}"

    @property
    def content(self) -> dict[str, Any]:
        """Return the columns of the email. Raises config.encryption.DecryptionFailed."""
        encrypted = bytes(self.encrypted_content or b"")
        plain = encryption.decrypt(encrypted, table="fallback", column="content", row=str(self.message_id))
        columns: dict[str, Any] = json.loads(plain)
        # An earlier release may have stored it, with another form of the host.
        columns["normalised_recipient"] = mailboxes.key_of(columns["normalised_recipient"])
        return columns

    def set_content(self, email: Notification) -> None:
        """Set the encrypted columns of the email, without saving."""
        columns = ("recipient", "normalised_recipient", "subject", "body", "language")
        plain = json.dumps({name: getattr(email, name) for name in columns})
        self.encrypted_content = encryption.encrypt(plain, table="fallback", column="content", row=str(self.message_id))
        self.recipient_hash = _hash(settings.SECRET_KEY, email.normalised_recipient)


def _hash(key: str, normalised: str) -> str:
    return salted_hmac("notifications.fallbacks", normalised, secret=key, algorithm="sha256").hexdigest()
