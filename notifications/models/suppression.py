"""Suppressions: recipients to whom nothing is sent any more. Source: docs/reference/suppressions.md."""

import json
import uuid
from collections.abc import Collection
from datetime import timedelta
from functools import cache
from typing import Any, Self
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from config import mailboxes
from config.databases.prepared import prepared_cursor
from config.erased import ERASED
from notifications.models import recipient_hash
from notifications.models.channel import Channel
from notifications.models.service import Service
from notifications.recipients import phone

MAX_NOTE_CHARACTERS = 255
ENDED_ARE_KEPT_FOR = timedelta(days=365)


class SuppressionReason(models.TextChoices):
    HARD_BOUNCE = "hard_bounce", "Hard bounce"
    COMPLAINT = "complaint", "Complaint"
    UNSUBSCRIBE = "unsubscribe", "Unsubscribed"
    STOP = "stop", "Sent STOP by text"
    MANUAL = "manual", "By hand"


class SuppressionSource(models.TextChoices):
    """How Signalbox learned of the reason."""

    PROVIDER = "provider", "Event of a provider"
    MAILBOX = "mailbox", "Returned email"
    RECIPIENT = "recipient", "Unsubscribe link"
    TEXT = "text", "Received text"
    API = "api", "API"
    CONSOLE = "console", "Console"
    IMPORT = "import", "CSV file"


# The one rule. A suppression after an unsubscribe concerns only emails from which people can unsubscribe.
_STOPS = """
    suppression.normalised_recipient {recipient} AND suppression.channel = {channel}
    AND (suppression.service_id = {service} OR suppression.service_id IS NULL)
    AND suppression.lifted_at IS NULL AND (suppression.expires_at IS NULL OR suppression.expires_at > {now})
    AND (suppression.reason <> 'unsubscribe' OR {is_subscription})
"""
_NOW = {"postgresql": "STATEMENT_TIMESTAMP()", "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')"}
_AMONG = {"postgresql": "= ANY(%(recipients)s)", "sqlite": "IN (SELECT value FROM JSON_EACH(%(recipients)s))"}


@cache
def reason_of_message(vendor: str, message: str) -> str:
    """Return a sub-select: the oldest reason that stops a message, or NULL. message: the name of its table"""
    stops = _STOPS.format(
        recipient=f"= {message}.normalised_recipient",
        channel=f"{message}.channel",
        service=f"{message}.service_id",
        # In a sub-select of RETURNING, SQLite 3.40 answers IS NOT NULL with true for this column even if it is NULL.
        is_subscription=f"{message}.unsubscribe_link OR COALESCE({message}.one_click_unsubscribe_url, '') <> ''",
        now=_NOW[vendor],
    )
    return f"""(SELECT suppression.reason FROM notifications_suppression AS suppression WHERE {stops}
        ORDER BY suppression.created_at LIMIT 1)"""  # noqa: S608  constants only


@cache
def _reasons(vendor: str) -> str:
    stops = _STOPS.format(
        recipient=_AMONG[vendor],
        channel="%(channel)s",
        service="%(service)s",
        is_subscription="%(is_subscription)s",
        now=_NOW[vendor],
    )
    return f"""SELECT suppression.normalised_recipient, suppression.reason FROM notifications_suppression AS suppression
        WHERE {stops} ORDER BY suppression.created_at DESC"""  # noqa: S608  constants only


class SuppressionQuerySet(models.QuerySet["Suppression"]):
    def of_recipient(self, normalised: str) -> Self:
        """Return the suppressions of a recipient, also those that keep only its hash."""
        return self.filter(normalised_recipient__in=recipient_hash.forms_of(normalised))

    def hashed(self, recipients: Collection[str]) -> set[str]:
        """Return those of these normalised recipients whose suppression keeps only the hash. Few queries."""
        hashes = recipient_hash.hashes_of(recipients)
        found = self.filter(normalised_recipient__in=list(hashes), lifted_at=None)
        return {hashes[one] for one in found.values_list("normalised_recipient", flat=True)}

    def keep_hash_of(self, normalised: str) -> int:
        """Replace this recipient in its suppressions by its hash, and return their number. They still apply.

        A suppression is deleted if an equal one of an earlier erasure lasts at least as long.
        """
        known_as = recipient_hash.hash_of(normalised)
        number = 0
        for row in self.filter(normalised_recipient__in=mailboxes.keys_of(normalised)):
            equal = self.model.objects.filter(
                service=row.service_id, channel=row.channel, reason=row.reason, normalised_recipient=known_as
            ).filter(lifted_at=None)
            lasts = Q(expires_at=None)
            if row.expires_at is not None:
                lasts |= Q(expires_at__gte=row.expires_at)
            if row.lifted_at is None and equal.filter(lasts).exists():
                row.delete()
            else:
                if row.lifted_at is None:
                    equal.delete()
                self.filter(pk=row.pk).update(recipient=ERASED, normalised_recipient=known_as)
            number += 1
        return number

    def active(self) -> Self:
        """Return the suppressions that are neither lifted nor expired."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=Now()), lifted_at=None)

    def ended(self) -> Self:
        """Return the suppressions that are lifted or expired."""
        return self.filter(Q(expires_at__lte=Now()) | Q(lifted_at__isnull=False))

    def to_forget(self) -> Self:
        """Return the suppressions that ended long ago, oldest first."""
        end = Now() - ENDED_ARE_KEPT_FOR
        return self.filter(Q(lifted_at__lt=end) | Q(lifted_at=None, expires_at__lt=end)).order_by("created_at")

    def reasons(
        self, service_id: UUID, channel: Channel, recipients: Collection[str], *, is_subscription: bool
    ) -> dict[str, SuppressionReason]:
        """Return the reason by normalised recipient, of those among these who are suppressed. Two queries.

        The first one reads the key of the hashes of erased recipients.
        is_subscription: the message has an unsubscribe link or a `one_click_unsubscribe_url`
        """
        known_as = {form: recipient for recipient in recipients for form in mailboxes.keys_of(recipient)}
        known_as |= recipient_hash.hashes_of(recipients)
        connection = connections[DEFAULT_DB_ALIAS]
        is_postgresql = connection.vendor == "postgresql"
        given: dict[str, Any] = {  # Any: values as each database takes them
            "recipients": list(known_as) if is_postgresql else json.dumps(list(known_as)),
            "channel": channel.value,
            "service": service_id if is_postgresql else service_id.hex,
            "is_subscription": is_subscription,
        }
        with prepared_cursor(connection) as cursor:
            cursor.execute(_reasons(connection.vendor), given)
            return {known_as[stored]: SuppressionReason(reason) for stored, reason in cursor.fetchall()}


class Suppression(models.Model):
    """A recipient to whom a service, or the whole installation, sends nothing more on one channel.

    service: None for the whole installation
    recipient, normalised_recipient: as for a message; after an erasure ERASED and a hash, see `recipient_hash`
    notification_id: the message that was the cause, if any; not a foreign key, because messages are deleted earlier
    note: the code of the provider or mail server, or what staff or a caller wrote
    created_by: who added it by hand
    lifted_at, lifted_by, lift_reason: of a suppression that staff or a caller ended
    """

    title_is_recipient = True
    recipient_fields = ("recipient", "normalised_recipient")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(
        Service, on_delete=models.CASCADE, null=True, blank=True, related_name="suppressions", db_index=False
    )
    channel = models.CharField(max_length=5, choices=Channel.choices)
    recipient = models.CharField(max_length=400)
    normalised_recipient = models.CharField(max_length=400, editable=False)
    reason = models.CharField(max_length=11, choices=SuppressionReason.choices)
    source = models.CharField(max_length=9, choices=SuppressionSource.choices)
    notification_id = models.UUIDField(null=True, blank=True)
    note = models.CharField(max_length=MAX_NOTE_CHARACTERS, blank=True)
    created_at = models.DateTimeField("suppressed since", default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)
    expires_at = models.DateTimeField("until", null=True, blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True, editable=False)
    lifted_by = models.CharField(max_length=255, blank=True, editable=False)
    lift_reason = models.CharField(max_length=MAX_NOTE_CHARACTERS, blank=True)

    objects = SuppressionQuerySet.as_manager()

    class Meta:
        constraints = [
            # NULL differs from NULL in a unique constraint, so the whole installation has a constraint of its own.
            models.UniqueConstraint(
                fields=["service", "channel", "normalised_recipient", "reason"],
                condition=Q(lifted_at=None),
                name="suppression_of_service_unique",
            ),
            models.UniqueConstraint(
                fields=["channel", "normalised_recipient", "reason"],
                condition=Q(lifted_at=None, service=None),
                name="suppression_of_installation_unique",
            ),
            models.CheckConstraint(
                condition=Q(expires_at=None) | Q(expires_at__gt=models.F("created_at")),
                name="suppression_expires_after_start",
            ),
            models.CheckConstraint(condition=Q(reason__in=SuppressionReason.values), name="suppression_reason_known"),
        ]
        indexes = [
            models.Index(fields=["service", "-created_at", "-id"], name="suppression_list"),
            models.Index(fields=["normalised_recipient"], condition=Q(lifted_at=None), name="suppression_of_recipient"),
        ]

    def __str__(self) -> str:
        return f"Suppression {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        return phone.displayed(self.recipient)

    @property
    def is_active(self) -> bool:
        return self.lifted_at is None and not self.has_expired

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()
