"""Suppress recipients by hand or by their text, and lift suppressions: for the API, the console and imports.

Source: docs/reference/suppressions.md §3.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from django.db import transaction
from django.utils import timezone

from config import audit
from config.audit import Actor, changes
from config.invalid import InvalidValue
from notifications.delivery import suppressions
from notifications.models import Channel, Notification, Service, Suppression, SuppressionReason, SuppressionSource
from notifications.recipients import email, phone
from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber

MAX_ROWS = 10_000  # of an import, which one request stores
_MAX_RECIPIENT_CHARACTERS = 400  # of the column


def parse_recipient(text: str) -> PhoneNumber | EmailAddress:
    """Parse an email address or a phone number of any country. Raises InvalidValue.

    >>> parse_recipient("07700 900 123").key, parse_recipient("Ann@Example.org").key
    ('447700900123', 'ann@example.org')
    """
    try:
        if "@" in text:
            return email.parse(text)
        if not any(character.isdecimal() for character in text):
            raise InvalidValue("Enter an email address or a phone number.")
        number = phone.parse(text, international=True, landlines=True)
    except email.InvalidEmailAddress as error:
        raise InvalidValue(error.ui_message) from error
    except phone.InvalidPhoneNumber as error:
        raise InvalidValue(error.outcome.ui_message) from error
    if len(number.as_given) > _MAX_RECIPIENT_CHARACTERS:
        raise InvalidValue(phone.PhoneRejection.INVALID_NUMBER.ui_message)
    return number


def end_of_day(day: date) -> datetime:
    """Return the end of a day in the time zone of the console."""
    return timezone.make_aware(datetime.combine(day + timedelta(days=1), time()))


def new(
    service: Service | None,
    recipient: PhoneNumber | EmailAddress,
    *,
    reason: SuppressionReason = SuppressionReason.MANUAL,
    source: SuppressionSource,
    created_by: str,
    note: str = "",
    expires_at: datetime | None = None,
) -> Suppression:
    """Return a suppression, by default by hand, not stored. service: None for the whole installation"""
    return Suppression(
        service=service,
        channel=Channel.SMS if isinstance(recipient, PhoneNumber) else Channel.EMAIL,
        recipient=recipient.as_given,
        normalised_recipient=recipient.key,
        reason=reason,
        source=source,
        created_by=created_by,
        note=note,
        expires_at=expires_at,
    )


def of_message(message: Notification, *, created_by: str, note: str, expires_at: datetime | None) -> Suppression:
    """Return a suppression by hand of the recipient of a message, for its service, not stored."""
    return Suppression(
        service_id=message.service_id,
        channel=message.channel,
        recipient=message.recipient,
        normalised_recipient=message.normalised_recipient,
        reason=SuppressionReason.MANUAL,
        source=SuppressionSource.CONSOLE,
        notification_id=message.id,
        created_by=created_by,
        note=note,
        expires_at=expires_at,
    )


def add(suppression: Suppression, actor: Actor) -> tuple[Suppression, bool]:
    """Store a suppression as `suppressions.add` does, and audit what changed."""
    with transaction.atomic():
        stored, is_new = suppressions.add(suppression)
        if is_new:
            audit.record(actor, "created", stored, after=changes.snapshot(stored))
    return stored, is_new


def add_many(service: Service | None, rows: Sequence[Suppression], actor: Actor) -> int:
    """Store suppressions of a service or of the whole installation with one audit event. Return how many are new."""
    with transaction.atomic():
        number = suppressions.add_many(service, rows)
        about = audit.about(service) if service else {"object_kind": "installation", "object_id": "all"}
        audit.record(actor, "imported_suppressions", after={"suppressions": number}, **about)
    return number


def change_end(suppression: Suppression, expires_at: datetime | None, actor: Actor) -> None:
    """Give an active suppression another end, or none."""
    with transaction.atomic():
        before = changes.snapshot(suppression)
        suppression.expires_at = expires_at
        suppression.save(update_fields=["expires_at"])
        was, now = changes.difference(before, changes.snapshot(suppression))
        if now:
            audit.record(actor, "changed", suppression, before=was, after=now)


def lift(suppression: Suppression, actor: Actor, *, by: str, reason: str) -> bool:
    """End a suppression now. Return False if it is lifted already."""
    now = timezone.now()
    with transaction.atomic():
        own = Suppression.objects.filter(pk=suppression.pk, lifted_at=None)
        if not own.update(lifted_at=now, lifted_by=by, lift_reason=reason):
            suppression.refresh_from_db()
            return False
        suppression.refresh_from_db()
        audit.record(actor, "lifted", suppression, reason=reason)
    return True
