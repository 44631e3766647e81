"""What a caller asks for, once its shape has been checked. Source: Notification Sending API §2."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber


@dataclass(frozen=True, slots=True)
class GivenId:
    """An id, and how the caller wrote it: refusals repeat that."""

    value: UUID
    as_sent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SmsRequest:
    """One text message. personalisation: placeholder name → string, number, boolean, list of them, or object."""

    phone_number: PhoneNumber
    template_id: UUID
    personalisation: Mapping[str, object] = field(default_factory=dict)
    reference: str | None = None
    scheduled_for: datetime | None = None
    sms_sender_id: GivenId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailRequest:
    """One email. sanitise_content_for: names whose values come from strangers."""

    email_address: EmailAddress
    template_id: UUID
    personalisation: Mapping[str, object] = field(default_factory=dict)
    reference: str | None = None
    scheduled_for: datetime | None = None
    email_reply_to_id: GivenId | None = None
    one_click_unsubscribe_url: str | None = None
    sanitise_content_for: Sequence[object] | None = None
