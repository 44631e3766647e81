"""The request and response bodies of suppressions. Source: docs/reference/suppressions.md §3."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from notifications import errors
from notifications.api import fields
from notifications.api.fields import UTC_DIGITS, Moment
from notifications.api.lists import PageLinks, one_object
from notifications.api.queries import PAGE_SIZE, KeysetPage
from notifications.api.serializers import RequestSerializer
from notifications.models import Channel, Service, Suppression, SuppressionReason, SuppressionSource
from notifications.models.suppression import MAX_NOTE_CHARACTERS


def short_text(name: str, text: str) -> str:
    """Return the text on one line. Raises TextPropertyTooLong."""
    line = " ".join(text.replace("\0", "").split())
    if len(line) > MAX_NOTE_CHARACTERS:
        raise errors.TextPropertyTooLong(name=name, value=errors.shown(line))
    return line


class ShortText(serializers.CharField):
    def to_internal_value(self, data: object) -> str:
        fields.of_type(self.field_name, data, str, "string")
        return short_text(str(self.field_name), str(data))


class ExpiresAt(serializers.DateTimeField):
    """A time in the future. The default time zone is UTC. null means no end."""

    def to_internal_value(self, data: object) -> datetime | None:  # type: ignore[override]  # null means no end
        fields.of_type(self.field_name, data, (str, type(None)), "string, null")
        if data is None:
            return None
        moment = fields.parse_moment(str(data))
        if moment is None:
            raise errors.ExpiresAtFormat
        if moment <= timezone.now():
            raise errors.ExpiresAtPast
        return moment.astimezone(UTC)


class RecipientSerializer(RequestSerializer):
    """One recipient: an email address or a phone number."""

    email_address = fields.EmailAddressField(
        required=False, help_text="The email address. Either this or `phone_number`."
    )
    phone_number = fields.PhoneNumberField(
        required=False, help_text="The phone number. Either this or `email_address`."
    )

    def parse(self, data: Any, service: Service) -> tuple[dict[str, Any], Sequence[errors.NotificationError]]:
        values, found = super().parse(data, service)
        given: Mapping[str, object] = data if isinstance(data, dict) else {}
        is_object = not data or isinstance(data, dict)
        if is_object and ("email_address" in given) is ("phone_number" in given):
            found = [*found, errors.OneRecipient()]
        return values, found

    def request(self, values: dict[str, Any]) -> dict[str, Any]:
        recipient = values.pop("email_address", None) or values.pop("phone_number", None)
        return {"recipient": recipient, **values}


class NewSuppressionSerializer(RecipientSerializer):
    """A recipient to suppress."""

    note = ShortText(
        required=False, max_length=MAX_NOTE_CHARACTERS, help_text="Why. Staff see it. Do not put personal data in it."
    )
    expires_at = ExpiresAt(
        required=False, allow_null=True, help_text="When the suppression ends: ISO 8601. null or left out: never."
    )


class SuppressionSerializer(serializers.Serializer[Suppression]):
    """A suppression of the service."""

    id = serializers.UUIDField()
    created_at = Moment(help_text=UTC_DIGITS)
    service_id = serializers.UUIDField()
    type = serializers.ChoiceField(choices=Channel.values, source="channel", help_text="The channel.")
    email_address = serializers.SerializerMethodField(help_text="As given; null for a text message.")
    phone_number = serializers.SerializerMethodField(help_text="As given; null for an email.")
    reason = serializers.ChoiceField(choices=SuppressionReason.values)
    source = serializers.ChoiceField(  # type: ignore[assignment]  # a Field has one of its own
        choices=SuppressionSource.values, help_text="How Signalbox learned of the reason."
    )
    notification_id = serializers.UUIDField(
        allow_null=True, help_text="The message that was the cause, which may be deleted earlier than the suppression."
    )
    note = serializers.CharField(help_text="The code of a provider or mail server, or your note.")
    expires_at = Moment(allow_null=True, help_text="null if the suppression has no end.")
    lifted_at = Moment(allow_null=True, help_text="null as long as the suppression is not lifted.")

    def get_email_address(self, row: Suppression) -> str | None:
        return row.recipient if row.channel == Channel.EMAIL else None

    def get_phone_number(self, row: Suppression) -> str | None:
        return row.recipient if row.channel == Channel.SMS else None


@one_object
class SuppressionsSerializer(serializers.Serializer[KeysetPage]):
    suppressions = SuppressionSerializer(many=True, source="rows", help_text=f"Newest first, at most {PAGE_SIZE}.")
    links = PageLinks(source="*")


class FoundSuppressionsSerializer(serializers.Serializer[Any]):  # Any: a dict
    suppressions = SuppressionSerializer(many=True, help_text="The active ones of the recipient, newest first.")
