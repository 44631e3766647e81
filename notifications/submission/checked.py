"""Messages that passed the checks, and the columns that text messages and emails have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self
from uuid import UUID

import structlog
from django.utils import timezone

from notifications.attachments.intake import CheckedFile
from notifications.delivery import quiet_hours
from notifications.models import ApiKey, Channel, LimitKind, Notification, Origin
from notifications.submission.callers import Caller
from notifications.submission.files import Parcel
from notifications.submission.requests import EmailRequest, SmsRequest
from notifications.submission.templates import TemplateText


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """An accepted message. For a simulated recipient the row is not stored.

    subject, body: as the recipient gets them, with full links to files, which no readable column stores
    sent_from: the sender name, phone number or email address in the response
    sanitised: the values that `sanitise_content_for` changed
    repeat_of: the id of the first message if the repeat guard stopped this one; the other values are those of the first
    """

    notification: Notification
    subject: str | None = None
    body: str
    sent_from: str
    sanitised: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    repeat_of: UUID | None = None

    def as_kept(self) -> Self:
        """Return a copy whose links have no keys, for storage."""
        return replace(self, subject=self.notification.subject, body=self.notification.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A checked message that only the daily limit can still reject. Nothing is stored yet.

    counted: the limits that the message counts against
    is_simulated: whether nothing is stored or sent because the recipient is simulated
    parcel, files: of an email with files
    """

    caller: Caller
    submission: Submission
    counted: Sequence[LimitKind]
    is_simulated: bool
    parcel: Parcel | None = None
    files: Mapping[str, CheckedFile] = field(default_factory=dict)


def common_columns(
    caller: Caller, template: TemplateText, request: SmsRequest | EmailRequest, channel: Channel, *, number: str = ""
) -> dict[str, Any]:  # Any: values of columns
    """Return the columns that do not depend on the channel. number: the normalised recipient of a text message"""
    by_key = isinstance(caller, ApiKey)
    return {
        "service": caller.service,
        **({"api_key": caller} if by_key else {"origin": Origin.CONSOLE, "created_by": caller.name}),
        "key_type": caller.key_type,
        "request_id": structlog.contextvars.get_contextvars().get("request_id", ""),
        "channel": channel,
        "template_id": template.id,
        "template_version": template.version,
        "reference": request.reference,
        **_when(caller, template, request.scheduled_for, channel, number),
    }


def _when(
    caller: Caller, template: TemplateText, scheduled_for: datetime | None, channel: Channel, number: str
) -> dict[str, datetime | None]:
    """Return the times of a message that waits, which the sweep finds. By default the database sets it to now."""
    moment = scheduled_for or timezone.now()
    sends_at = moment
    if template.respect_quiet_hours:
        sends_at = quiet_hours.sends_at(caller.service, channel, moment, number=number)
    if scheduled_for is None and sends_at == moment:
        return {}
    quiet_until = sends_at if sends_at > moment else None
    return {
        "scheduled_for": scheduled_for,
        "quiet_until": quiet_until,
        "due_at": sends_at,
        "next_attempt_at": sends_at,
    }
