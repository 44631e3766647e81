"""The records of messages, templates and received texts. Source: the sending contract §14, §17."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from django.conf import settings
from rest_framework.serializers import BaseSerializer

from notifications.api import links
from notifications.models import Channel, Notification, ReceivedText, TemplateVersion, UnsubscribeRequest
from notifications.recipients import email
from notifications.recipients.email import InvalidEmailAddress
from notifications.rendering import placeholders

# What the record of a message is made of. The rest of its row is for the queue, and to read it is half a list's time.
NOTIFICATION_COLUMNS = (
    *("id", "reference", "channel", "recipient", "status", "template_id", "template_version", "body", "subject"),
    *(
        "created_at",
        "sent_at",
        "completed_at",
        "scheduled_for",
        "one_click_unsubscribe_url",
        "parts",
        "rate_multiplier",
    ),
)
_OF_LETTERS = dict.fromkeys([*(f"line_{number}" for number in range(1, 7)), "postcode", "postage"])


class NotificationSerializer(BaseSerializer[Notification]):
    """The record of a message. Every key is always there; what is for letters is null."""

    def to_representation(self, notification: Notification) -> dict[str, object]:
        base = self.context["base"]
        is_sms = notification.channel == Channel.SMS
        return {
            "id": str(notification.id),
            "reference": notification.reference,
            "type": notification.channel,
            "phone_number": notification.recipient if is_sms else None,
            "email_address": None if is_sms else notification.recipient,
            **_OF_LETTERS,
            "created_by_name": None,
            "status": notification.status,
            "template": template_reference(notification, base),
            "body": notification.body.strip(),
            "subject": notification.subject,
            "created_at": moment(notification.created_at),
            "sent_at": moment(notification.sent_at),
            "completed_at": moment(notification.completed_at),
            "scheduled_for": moment(notification.scheduled_for),
            "one_click_unsubscribe_url": notification.one_click_unsubscribe_url,
            **(_sms_cost(notification) if is_sms else _cost(is_ready=True, pounds=0.0, details={})),
        }


class TemplateSerializer(BaseSerializer[TemplateVersion]):
    """One version of a template, by its own name, subject and body."""

    def to_representation(self, version: TemplateVersion) -> dict[str, object]:
        template = version.template
        names = placeholders.find(version.subject or "", version.content)
        return {
            "id": str(template.id),
            "name": version.name,
            "type": template.type,
            "created_at": moment(template.created_at),
            "updated_at": moment(version.created_at) if version.number > 1 else None,
            "created_by": _address(version.created_by or template.created_by),
            "version": version.number,
            "body": version.content,
            "subject": version.subject if template.type == Channel.EMAIL else None,
            "personalisation": {name: {"required": True} for name in names},
            "postage": None,
            "letter_contact_block": None,
        }


class ReceivedTextSerializer(BaseSerializer[ReceivedText]):
    def to_representation(self, text: ReceivedText) -> dict[str, object]:
        return {
            "id": str(text.id),
            "created_at": moment(text.created_at),
            "service_id": str(text.service_id),
            "notify_number": text.notify_number,
            "user_number": text.user_number,
            "content": text.content,
        }


class UnsubscribeRequestSerializer(BaseSerializer[UnsubscribeRequest]):
    def to_representation(self, request: UnsubscribeRequest) -> dict[str, object]:
        return {
            "id": str(request.id),
            "created_at": moment(request.created_at),
            "service_id": str(request.service_id),
            "template_id": str(request.template_id),
            "notification_id": str(request.notification_id),
            "email_address": request.recipient,
            "done_at": moment(request.done_at),
        }


def moment(value: datetime | None) -> str | None:
    """Write a moment in UTC with six digits and a Z: some clients parse strictly.

    >>> moment(datetime(2026, 11, 20, 9, tzinfo=UTC))
    '2026-11-20T09:00:00.000000Z'
    """
    return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z" if value else None


def _address(author: str) -> str:
    """Return the author if it is an email address: accounts may have none, and clients expect one. Contract §17.3."""
    try:
        email.parse(author)
    except InvalidEmailAddress:
        return str(settings.PROVISION_AUTHOR)
    return author


def template_reference(notification: Notification, base: str) -> dict[str, object]:
    version = notification.template_version
    return {
        "id": str(notification.template_id),
        "version": version,
        "uri": links.template_url(base, notification.template_id, version),
    }


def _cost(*, is_ready: bool, pounds: float | None, details: Mapping[str, object]) -> dict[str, object]:
    return {"is_cost_data_ready": is_ready, "cost_in_pounds": pounds, "cost_details": details}


def _sms_cost(notification: Notification) -> dict[str, object]:
    """What a text message cost; known once a provider has it."""
    if notification.sent_at is None:
        return _cost(is_ready=False, pounds=None, details={})
    rate: Decimal = settings.SMS_RATE
    details = {
        "billable_sms_fragments": notification.parts,
        "international_rate_multiplier": notification.rate_multiplier,
        "sms_rate": float(rate),
    }
    return _cost(is_ready=True, pounds=float(notification.parts * notification.rate_multiplier * rate), details=details)
