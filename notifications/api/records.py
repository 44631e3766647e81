"""Serialize messages, templates and received texts. Source: docs/reference/sending-api.md §14, §17.

Messages and templates override `to_representation`: some values are computed, and a list of 250 messages takes less
than half of the time that REST framework's loop over the fields takes.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.rest.content import write_moment
from notifications.api.fields import UTC_DIGITS, Moment, TemplateReference, template_reference
from notifications.models import (
    Channel,
    FallbackState,
    Notification,
    ReceivedText,
    Status,
    TemplateVersion,
    UnsubscribeRequest,
)
from notifications.recipients import email
from notifications.recipients.email import InvalidEmailAddress
from notifications.rendering import placeholders
from notifications.submission.templates.preview import TemplatePreview

# The columns in the record of a message. Reading the other columns, for the queue, would double the time of a list.
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
_EMAIL_COST = {"is_cost_data_ready": True, "cost_in_pounds": 0.0, "cost_details": {}}
_OF_LETTERS = dict.fromkeys([*(f"line_{number}" for number in range(1, 7)), "postcode", "postage"])


@extend_schema_field({"type": "null"})
class Null(serializers.JSONField):
    """A key that clients expect, with the value null."""

    def get_attribute(self, instance: object) -> None:
        return None


class CostDetails(serializers.Serializer[Any]):
    billable_sms_fragments = serializers.IntegerField(required=False, help_text="The number of parts that are charged.")
    international_rate_multiplier = serializers.FloatField(
        required=False, help_text="The multiplier of the country; 1 for the UK."
    )
    sms_rate = serializers.FloatField(required=False, help_text="The price of one part in pounds.")


class NotificationSerializer(serializers.Serializer[Notification]):
    """The record of a message. Every key is present; the keys for letters are null."""

    id = serializers.UUIDField()
    reference = serializers.CharField(allow_null=True)
    type = serializers.ChoiceField(choices=Channel.values)
    phone_number = serializers.CharField(allow_null=True, help_text="As given; null for an email.")
    email_address = serializers.CharField(allow_null=True, help_text="As given; null for a text message.")
    line_1 = Null(help_text="Always null, like lines 2 to 6: Signalbox does not send letters.")
    line_2 = Null()
    line_3 = Null()
    line_4 = Null()
    line_5 = Null()
    line_6 = Null()
    postcode = Null(help_text="Always null.")
    postage = Null(help_text="Always null.")
    created_by_name = Null(help_text="Always null.")
    status = serializers.ChoiceField(choices=Status.values, help_text="See Read messages, statuses.")
    template = TemplateReference()
    body = serializers.CharField()
    subject = serializers.CharField(allow_null=True, help_text="null for a text message.")
    created_at = serializers.DateTimeField(help_text=UTC_DIGITS)
    sent_at = serializers.DateTimeField(allow_null=True, help_text="When a provider accepted it.")
    completed_at = serializers.DateTimeField(allow_null=True, help_text="When the message reached its final status.")
    scheduled_for = serializers.DateTimeField(allow_null=True)
    one_click_unsubscribe_url = serializers.URLField(allow_null=True)
    is_cost_data_ready = serializers.BooleanField(
        help_text="For a text message, true after a provider accepts it. Always true for an email."
    )
    cost_in_pounds = serializers.FloatField(allow_null=True)
    cost_details = CostDetails(help_text="Empty for emails, and until the cost is known.")

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
            "template": template_reference(notification.template_id, notification.template_version, base),
            "body": notification.body.strip(),
            "subject": notification.subject,
            "created_at": write_moment(notification.created_at),
            "sent_at": notification.sent_at and write_moment(notification.sent_at),
            "completed_at": notification.completed_at and write_moment(notification.completed_at),
            "scheduled_for": notification.scheduled_for and write_moment(notification.scheduled_for),
            "one_click_unsubscribe_url": notification.one_click_unsubscribe_url,
            **(_sms_cost(notification) if is_sms else _EMAIL_COST),
        }


class FallbackRecord(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        choices=FallbackState.values,
        help_text=(
            "`waiting` until the text message fails, then `submitted`. `limit-reached` if no email was sent, because "
            "the daily limit of emails was used up at that time."
        ),
    )
    notification_id = serializers.UUIDField(allow_null=True, help_text="The submitted email.")


class OneNotificationSerializer(NotificationSerializer):
    """The record of a message that was read by its id."""

    fallback = FallbackRecord(allow_null=True, help_text="The email that replaces this text message if it fails.")
    fallback_of = serializers.UUIDField(allow_null=True, help_text="The failed text message that this email replaces.")

    def to_representation(self, notification: Notification) -> dict[str, object]:
        """Return the record. The context has the state and the email of the fallback, and the text it replaces."""
        state, email_id, text_id = self.context["fallback"]
        fallback = {"status": state, "notification_id": _uuid_text(email_id)} if state else None
        record = super().to_representation(notification)
        return {**record, "fallback": fallback, "fallback_of": text_id and _uuid_text(text_id)}


def _uuid_text(stored: object) -> str | None:
    """Return a UUID as the database returns it in the form of the API. SQLite stores hex digits."""
    return str(UUID(str(stored))) if stored else None


class Placeholder(serializers.Serializer[Any]):
    required = serializers.BooleanField(  # type: ignore[assignment]  # a Field has one of its own
        help_text="false if the template has a default value or a file for it."
    )


class TemplateSerializer(serializers.Serializer[TemplateVersion]):
    """A version of a template, with the name, subject and body of that version."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    type = serializers.ChoiceField(choices=Channel.values)
    created_at = serializers.DateTimeField(help_text=UTC_DIGITS)
    updated_at = serializers.DateTimeField(allow_null=True, help_text="null in version 1.")
    created_by = serializers.CharField(help_text="Email address of the author.")
    version = serializers.IntegerField(min_value=1)
    body = serializers.CharField(help_text="The text with its placeholders in double brackets.")
    subject = serializers.CharField(allow_null=True, help_text="null for a text message.")
    personalisation = serializers.DictField(child=Placeholder(), help_text="The placeholders, by name.")
    postage = Null(help_text="Always null.")
    letter_contact_block = Null(help_text="Always null.")

    def to_representation(self, version: TemplateVersion) -> dict[str, object]:
        template = version.template
        texts = (version.subject or "", version.content)
        optional = [*version.defaults, *template.fixed_files]
        required = placeholders.required(*texts, optional=optional).values()
        return {
            "id": str(template.id),
            "name": version.name,
            "type": template.type,
            "created_at": write_moment(template.created_at),
            "updated_at": write_moment(version.created_at) if version.number > 1 else None,
            "created_by": _email_address_of(version.created_by or template.created_by),
            "version": version.number,
            "body": version.content,
            "subject": version.subject if template.type == Channel.EMAIL else None,
            "personalisation": {name: {"required": name in required} for name in placeholders.find(*texts)},
            "postage": None,
            "letter_contact_block": None,
        }


class ReceivedTextSerializer(serializers.Serializer[ReceivedText]):
    id = serializers.UUIDField()
    created_at = Moment(help_text=UTC_DIGITS)
    service_id = serializers.UUIDField()
    notify_number = serializers.CharField(help_text="The number that the text was sent to.")
    user_number = serializers.CharField(help_text="The number that the text was sent from.")
    content = serializers.CharField()


class UnsubscribeRequestSerializer(serializers.Serializer[UnsubscribeRequest]):
    id = serializers.UUIDField()
    created_at = Moment(help_text=UTC_DIGITS)
    service_id = serializers.UUIDField()
    template_id = serializers.UUIDField(help_text="The template of the email.")
    notification_id = serializers.UUIDField(help_text="The email, which may be deleted earlier than the request.")
    email_address = serializers.CharField(source="recipient", help_text="The recipient, as you gave it.")
    done_at = Moment(allow_null=True, help_text="When staff marked the request as done.")


class PreviewSerializer(serializers.Serializer[TemplatePreview]):
    id = serializers.UUIDField(source="version.template_id")
    type = serializers.ChoiceField(choices=Channel.values, source="version.template.type")
    version = serializers.IntegerField(min_value=1, source="version.number")
    body = serializers.CharField(help_text="The text as it would be sent.")
    subject = serializers.CharField(allow_null=True, help_text="null for a text message.")
    html = serializers.CharField(
        allow_null=True, help_text="The email as email programs show it; null for a text message."
    )
    postage = Null(help_text="Always null.")


def _email_address_of(author: str) -> str:
    """Return the author's email address, or PROVISION_AUTHOR if the author has none. Clients expect an email address.

    Source: docs/reference/sending-api.md §17.3.
    """
    try:
        email.parse(author)
    except InvalidEmailAddress:
        return str(settings.PROVISION_AUTHOR)
    return author


def _cost(*, is_ready: bool, pounds: float | None, details: Mapping[str, object]) -> dict[str, object]:
    return {"is_cost_data_ready": is_ready, "cost_in_pounds": pounds, "cost_details": details}


def _sms_cost(notification: Notification) -> dict[str, object]:
    """Return the cost of a text message. It is known after a provider accepts the message."""
    if notification.sent_at is None:
        return _cost(is_ready=False, pounds=None, details={})
    rate: Decimal = settings.SMS_RATE
    details = {
        "billable_sms_fragments": notification.parts,
        "international_rate_multiplier": notification.rate_multiplier,
        "sms_rate": float(rate),
    }
    return _cost(is_ready=True, pounds=float(notification.parts * notification.rate_multiplier * rate), details=details)
