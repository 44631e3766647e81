"""One message to one recipient. The row is the work; the broker only wakes workers.

Source: docs/reference/sending-api.md §17 to §19; docs/reference/security.md §10.
"""

import json
import uuid
from datetime import datetime
from typing import Self
from uuid import UUID

from django.db import models, transaction
from django.db.models import Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from django.dispatch import Signal
from django.utils import timezone

from config import encryption
from notifications.models.api_key import ApiKey, KeyType
from notifications.models.bulk_row import BulkRow
from notifications.models.callback_delivery import CallbackDelivery
from notifications.models.callback_event import EVENT_OF_STATUS
from notifications.models.callback_owing import has_callback
from notifications.models.channel import Channel, Lane, MessageOrigin
from notifications.models.sender import ReplyToAddress, SmsSender
from notifications.models.service import Service
from notifications.models.status import COMPLETED, FAILURES, Status, sources
from notifications.models.suppression import SuppressionReason
from notifications.recipients import phone

# The final status of an accepted message if its provider sends no delivery receipts.
ACCEPTED_FOR_GOOD = {Channel.SMS: Status.SENT, Channel.EMAIL: Status.DELIVERED}


# The outcomes that are recorded instead of an attempt.
EXPIRED = "expired"  # the message was too late to send
SUPPRESSED = "suppressed"  # the recipient is suppressed; the reply is the reason


# Sent in the transaction in which messages take a status of FAILURES, with `ids`: those messages.
messages_failed = Signal()

IS_SCHEDULED = Q(status=Status.CREATED, attempt=0) & (Q(scheduled_for__isnull=False) | Q(quiet_until__isnull=False))


class NotificationQuerySet(models.QuerySet["Notification"]):
    """The queue of messages, and the only method that changes a status outside a claim: `advance`."""

    def due(self) -> Self:
        """Return the messages that are due and that no worker has claimed."""
        return self.filter(
            Q(claimed_until=None) | Q(claimed_until__lt=Now()),
            lane__lt=Lane.PAUSED,
            status=Status.CREATED,
            next_attempt_at__lte=Now(),
        )

    def scheduled(self) -> Self:
        """Return the messages that wait for their time: callers may still move or cancel them."""
        return self.filter(IS_SCHEDULED)

    def move(self, scheduled_for: datetime | None, *, quiet_until: datetime | None = None) -> int:
        """Give scheduled messages another time, or the current time if it is None. Return how many were scheduled.

        quiet_until: the end of the quiet hours in which the time is
        """
        moment = scheduled_for or Now()
        due_at = quiet_until or moment
        return self.scheduled().update(
            scheduled_for=moment, quiet_until=quiet_until, due_at=due_at, next_attempt_at=due_at
        )

    def advance(self, status: Status, at: datetime, **changes: object) -> int:
        """Change the status of the messages that may take it. Return the number of changed messages.

        A status and its callbacks are stored in one transaction.
        changes: values or expressions of further columns
        """
        changes = {"is_acceptance_final": False, **changes, "status": status, "encrypted_outgoing": None}
        if status in COMPLETED:
            changes["completed_at"] = at
        movable = self.filter(_may_become(status, by_acceptance=changes["is_acceptance_final"]))
        event = EVENT_OF_STATUS.get(status)
        if event is None:
            return movable.update(**changes)
        with transaction.atomic():
            known = movable.annotate(is_reported=has_callback(event))
            found = dict(known.select_for_update().values_list("id", "is_reported"))
            moved = Notification.objects.filter(id__in=found)
            count = moved.update(**changes)
            if reported := [identifier for identifier, is_reported in found.items() if is_reported]:
                CallbackDelivery.objects.owe_statuses(moved.filter(id__in=reported), status)
            if status in FAILURES:
                messages_failed.send(Notification, ids=list(found))
            return count

    def handed_to(self, provider: str, *, reference: str, notification_id: UUID | None) -> Self:
        """Return a provider's messages with this id or else with this provider reference, newest first."""
        by_reference = ~Q(provider_reference="") & Q(provider_reference=reference)
        wanted = Q(id=notification_id) if notification_id else by_reference
        return self.filter(wanted, provider=provider).order_by("-created_at")

    def still_encrypted(self) -> Self:
        """Return the messages that are sent or ended but still contain data that only sending needs."""
        return self.exclude(status=Status.CREATED).exclude(encrypted_outgoing=None)

    def sent_without_receipt_since(self, moment: Combinable) -> Self:
        """Return the messages sent before a moment for which no final delivery receipt has arrived."""
        return self.filter(status__in=[Status.SENDING, Status.PENDING], sent_at__lt=moment)

    def confirm(self) -> int:
        """Record that a delivery receipt confirmed messages whose status the acceptance had set to delivered."""
        return self.filter(status=Status.DELIVERED, is_acceptance_final=True).update(is_acceptance_final=False)


def _may_become(status: Status, *, by_acceptance: object) -> Q:
    """Return the condition under which a message may take this status.

    An email may still bounce if only its acceptance is known. A message that waits for a delivery receipt takes the
    status of an accepted message when no receipt can come.
    """
    allowed = Q(status__in=sources(status))
    if status in FAILURES:
        allowed |= Q(status=Status.DELIVERED, is_acceptance_final=True)
    return allowed | Q(status=Status.SENDING) if by_acceptance else allowed


class Notification(models.Model):
    """An accepted message and its progress.

    recipient: as the caller gave it, without ignorable characters
    normalised_recipient: the form for sending and comparison
    language: of the text of the template; empty for messages of earlier releases
    body: the filled text, for an email as Markdown; it is in the response and is sent
    due_at: when to send the message; the time limit for retries starts here, and retries move only `next_attempt_at`
    quiet_until: the end of the quiet hours that delay the message, or None; equal to `due_at`
    encrypted_outgoing: subject and body with the full links to files, until the message is sent or has ended; null
    without files, and the readable columns have the links without their keys
    bulk_row: the row of a bulk send that the message was made of, until that is deleted; at most one message each
    lane: decides which messages of the service are sent first
    attempt: the number of claims, which shows a late worker that another worker has claimed the row since
    attempts: the results of the attempts, in order: {"at", "provider", "outcome", "reply", "ms"}
    is_acceptance_final: whether the acceptance decided the status because the provider sends no delivery receipts
    receipts: the different delivery receipts in order: {"at", "outcome", "code"}; one outcome is `complaint`

    The times of the queue come from the clock of the database, so that no web server's clock decides what is due.
    """

    title_is_recipient = True

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    api_key = models.ForeignKey(ApiKey, on_delete=models.SET_NULL, null=True, db_index=False)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    origin = models.CharField(max_length=7, choices=MessageOrigin.choices, default=MessageOrigin.API)
    created_by = models.CharField(max_length=255, blank=True)
    request_id = models.CharField(max_length=36, blank=True)

    channel = models.CharField(max_length=5, choices=Channel.choices)
    template = models.ForeignKey("notifications.Template", on_delete=models.CASCADE, db_index=False)
    template_version = models.PositiveIntegerField()
    language = models.CharField(max_length=35, blank=True, db_default="")
    recipient = models.CharField(max_length=400)
    normalised_recipient = models.CharField(max_length=400)
    reference = models.CharField(max_length=1000, null=True)  # noqa: DJ001  null if not given; "" is a reference
    subject = models.TextField(null=True)  # noqa: DJ001  null for a text message
    body = models.TextField()
    encrypted_outgoing = models.BinaryField(null=True, editable=False)
    unsubscribe_link = models.BooleanField(default=False)
    one_click_unsubscribe_url = models.TextField(null=True)  # noqa: DJ001  null if not given
    bulk_row = models.ForeignKey(
        BulkRow, on_delete=models.SET_NULL, null=True, db_index=False, related_name="notifications"
    )
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

    lane = models.PositiveSmallIntegerField(choices=Lane.choices, db_default=Lane.SINGLE)
    due_at = models.DateTimeField(db_default=Now())
    quiet_until = models.DateTimeField(null=True)
    next_attempt_at = models.DateTimeField(db_default=Now())
    claimed_until = models.DateTimeField(null=True)
    enqueued_at = models.DateTimeField(null=True, db_default=Now())  # only for the previous version; to be removed
    attempt = models.PositiveSmallIntegerField(default=0)
    failed_attempts = models.PositiveSmallIntegerField(default=0)
    attempts = models.JSONField(db_default=[])
    provider = models.CharField(max_length=60, blank=True)
    provider_reference = models.CharField(max_length=255, blank=True)
    is_acceptance_final = models.BooleanField(db_default=False)
    receipts = models.JSONField(db_default=[])

    objects = NotificationQuerySet.as_manager()

    class Meta:
        verbose_name = "message"
        constraints = [
            # SQLite uses the index only for this form of the condition, not for `NOT (… IS NULL)`.
            models.UniqueConstraint(
                fields=["bulk_row"], condition=models.Q(bulk_row__isnull=False), name="notification_bulk_row_unique"
            )
        ]
        indexes = [
            models.Index(fields=["service", "key_type", "-created_at", "-id"], name="notification_list"),
            # The list of the API leaves out the messages of bulk sends, which may be nearly all.
            models.Index(
                fields=["service", "key_type", "-created_at", "-id"],
                condition=models.Q(bulk_row=None),
                name="notification_list_single",
            ),
            models.Index(
                fields=["service", "reference"], condition=~models.Q(reference=None), name="notification_reference"
            ),
            models.Index(
                fields=["service", "lane", "next_attempt_at"],
                condition=models.Q(status="created"),
                name="notification_due_by_lane",
            ),
            models.Index(
                fields=["sent_at"],
                condition=models.Q(status__in=["sending", "pending"]),
                name="notification_without_receipt",
            ),
            models.Index(
                fields=["status"], condition=~models.Q(encrypted_outgoing=None), name="notification_encrypted"
            ),
            models.Index(
                fields=["provider_reference"],
                condition=~models.Q(provider_reference=""),
                name="notification_handed_to",
            ),
            # The message log of the console: the order of its pages, then the columns of its filters.
            models.Index(
                fields=[
                    *("service", "-created_at", "-id"),
                    *("status", "key_type", "channel", "template", "api_key", "provider", "origin"),
                ],
                name="notification_by_time",
            ),
            models.Index(fields=["normalised_recipient", "service"], name="notification_recipient"),
            models.Index(fields=["request_id"], condition=~models.Q(request_id=""), name="notification_request_id"),
        ]

    def __str__(self) -> str:
        return f"Message {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        return phone.displayed(self.recipient)

    @property
    def is_scheduled(self) -> bool:
        """Return whether the message waits for its time and no worker has claimed it."""
        waits = self.scheduled_for is not None or self.quiet_until is not None
        return self.status == Status.CREATED and self.attempt == 0 and waits

    @property
    def has_expired(self) -> bool:
        return bool(self.attempts) and self.attempts[-1].get("outcome") == EXPIRED

    @property
    def suppressed_by(self) -> SuppressionReason | None:
        """Return the reason why the message ended without an attempt, or None."""
        last = self.attempts[-1] if self.attempts else {}
        return SuppressionReason(last["reply"]) if last.get("outcome") == SUPPRESSED else None

    @property
    def outgoing(self) -> tuple[str, str]:
        """Return the subject and the body of an email with files. Raises config.encryption.DecryptionFailed."""
        encrypted = bytes(self.encrypted_outgoing or b"")
        plain = encryption.decrypt(encrypted, table="notification", column="outgoing", row=str(self.id))
        subject, body = json.loads(plain)
        return subject, body

    def set_outgoing(self, subject: str, body: str) -> None:
        """Set the encrypted subject and body, which contain full links, without saving."""
        self.encrypted_outgoing = self.encrypt_outgoing(self.id, subject, body)

    @staticmethod
    def encrypt_outgoing(message_id: UUID, subject: str, body: str) -> bytes:
        """Return the value of `encrypted_outgoing` for a subject and a body with full links."""
        plain = json.dumps([subject, body])
        return encryption.encrypt(plain, table="notification", column="outgoing", row=str(message_id))
