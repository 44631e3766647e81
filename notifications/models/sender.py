"""Text message senders and reply-to addresses. A service has one default of each.

A removed sender keeps its row. The API then rejects its id like an unknown id.
"""

import uuid

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from notifications.models.service import Service
from notifications.recipients import phone


class Sender(models.Model):
    """The columns of both kinds of senders."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    is_default = models.BooleanField("default", default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True


class SmsSender(Sender):
    """The name or number that a text message shows as its sender."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="sms_senders")
    sender = models.CharField(max_length=20)

    class Meta:
        verbose_name = "text message sender"
        ordering = ["-is_default", "sender"]
        constraints = [
            models.UniqueConstraint(
                fields=["service"], condition=models.Q(is_default=True, archived_at=None), name="sms_sender_one_default"
            ),
            models.UniqueConstraint(
                "service", Lower("sender"), condition=models.Q(archived_at=None), name="sms_sender_unique_in_any_case"
            ),
        ]

    def __str__(self) -> str:
        return phone.displayed(self.sender)


class ReplyToState(models.TextChoices):
    """Whether a person has confirmed that they read the replies. Each state may be used."""

    CHECKING = "checking", "Checking"
    CONFIRMED = "confirmed", "Confirmed"
    BOUNCED = "bounced", "Bounced"
    UNCHECKED = "unchecked", "Unchecked"


class ReplyToAddress(Sender):
    """The email address that replies of recipients go to.

    confirmation_id: of the emailed link that works now. It is also the Message-ID of the email, to recognise its bounce
    mail_at: when the email with the link is due. Null: no email is due
    confirmed_by: the operator who confirmed it. Blank: the link did
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="reply_to_addresses")
    email_address = models.CharField(max_length=320)
    state = models.CharField(
        max_length=9,
        choices=ReplyToState.choices,
        default=ReplyToState.UNCHECKED,
        db_default=ReplyToState.UNCHECKED.value,
        editable=False,
    )
    confirmed_at = models.DateTimeField(null=True, blank=True, editable=False)
    confirmed_by = models.CharField(max_length=255, blank=True, default="", db_default="", editable=False)
    confirmation_id = models.UUIDField(null=True, blank=True, unique=True, editable=False)
    mail_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "reply-to address"
        verbose_name_plural = "reply-to addresses"
        ordering = ["-is_default", "email_address"]
        constraints = [
            models.UniqueConstraint(
                fields=["service"], condition=models.Q(is_default=True, archived_at=None), name="reply_to_one_default"
            ),
            models.UniqueConstraint(
                "service",
                Lower("email_address"),
                condition=models.Q(archived_at=None),
                name="reply_to_unique_in_any_case",
            ),
        ]

    def __str__(self) -> str:
        return (
            f"Reply-to address {str(self.id)[:8]}"  # without the email address, because logs and audits keep `str(row)`
        )

    @property
    def title(self) -> str:
        return self.email_address
