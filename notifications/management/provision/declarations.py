"""Declare the keys of a service in a provision document. `notifications.validation` has the rules for the values."""

from typing import Any
from uuid import UUID

from django.conf import settings
from rest_framework import serializers

from config.invalid import InvalidValue
from config.management.declarations import Declaration, Texts, Value, one_of, parse_uuid
from config.outbound.targets import check_url
from config.rest.strict_json import is_storable_text
from notifications.models import CallbackEvent, CallbackKind, Channel, KeyType, Permission, Service
from notifications.template_definitions.definition import fits
from notifications.validation import keys, names, people, quiet_hours, senders, services
from notifications.validation.time_zones import check_time_zone

_FORMATS = [kind.value for kind in CallbackKind if kind is not CallbackKind.REQUEST]


def _has_room(guests: list[people.GivenRecipient]) -> None:
    people.check_guest_list_has_room(len(guests), settings.GUEST_LIST_MAX)


def _parse_secret(text: str) -> str:
    secret = parse_uuid(text)
    keys.check_part_of_key(secret)
    return str(secret)


class TeamMemberDeclaration(Declaration):
    email_address = Value(str, people.parse_email_address, required=True)
    phone_number = Value(str, people.parse_phone_number)


class GuestListDeclaration(Declaration):
    email_addresses = Texts(people.parse_email_address, _has_room)
    phone_numbers = Texts(people.parse_phone_number, _has_room)


class SmsSenderDeclaration(Declaration):
    """A text message sender. Protected names are allowed, because only operators can run the command."""

    id = Value(str, parse_uuid)
    sender = Value(
        str,
        senders.parse_sms_sender,
        stored=lambda service, text: service.sms_senders.filter(sender=text, archived_at=None).exists(),
        required=True,
    )
    default = Value(bool, source="is_default")


class ReplyToDeclaration(Declaration):
    id = Value(str, parse_uuid)
    email_address = Value(
        str,
        senders.parse_reply_to,
        stored=lambda service, text: service.reply_to_addresses.filter(email_address=text, archived_at=None).exists(),
        required=True,
    )
    default = Value(bool, source="is_default")
    confirmed = Value(bool)


class TemplateValue(serializers.JSONField):
    """A field of a template as a template file has it. example: a valid value"""

    def __init__(self, example: str, **options: Any) -> None:
        super().__init__(required=False, error_messages={"null": f"must be such as {example}"}, **options)

    def to_internal_value(self, data: Any) -> Any:
        if not fits(str(self.field_name), data):
            raise serializers.ValidationError(self.error_messages["null"])
        return data


class TemplateDeclaration(Declaration):
    id = Value(str, parse_uuid)
    type = Value(str, one_of(Channel.values))
    name = Value(str, names.parse_name, stored=lambda service, text: service.templates.filter(name=text).exists())
    subject = Value(str)
    content = Value(str)
    unsubscribe_link = Value(bool)
    tags = TemplateValue('["spring"]')
    defaults = TemplateValue('{"name": "text"}')
    language = Value(str)
    translations = TemplateValue('[{"language": "cy", "subject": "text, or null in text messages", "content": "text"}]')
    respect_quiet_hours = Value(bool)
    archived = Value(bool)


class ApiKeyDeclaration(Declaration):
    name = Value(str, keys.check_key_name)
    type = Value(str, one_of(KeyType.values))
    manage_templates = Value(bool, source="manages_templates")
    networks = Value(str, keys.parse_networks, source="allowed_networks")
    daily_limit = Value(int, keys.check_daily_limit)
    secret = Value(
        str, _parse_secret, stored=lambda service, text: text in {key.secret for key in service.api_keys.all()}
    )
    revoked = Value(bool)


class CallbackDeclaration(Declaration):
    url = Value(str, check_url, required=True)
    bearer_token = Value(str, keys.check_bearer_token, required=True)
    signing_secret = Value(str, keys.check_signing_secret)


class CallbackEndpointDeclaration(CallbackDeclaration):
    """An endpoint, identified by its name."""

    name = Value(str, keys.check_callback_name, required=True)
    format = Value(str, one_of(_FORMATS), source="kind")
    events = Texts(one_of(CallbackEvent.values))
    data_sets = Texts()


class CallbacksDeclaration(Declaration):
    """The key of each format has its first endpoint without a name. `endpoints` has any number with names."""

    endpoints = CallbackEndpointDeclaration(many=True, required=False)
    delivery_status = CallbackDeclaration(required=False)
    received_text_message = CallbackDeclaration(required=False)
    unsubscribe_request = CallbackDeclaration(required=False)


class DailyLimitsDeclaration(Declaration):
    email = Value(int, services.check_daily_limit, source="daily_limit_email")
    sms = Value(int, services.check_daily_limit, source="daily_limit_sms")
    international_sms = Value(int, services.check_daily_limit, source="daily_limit_international_sms")


class QuietHoursValue(serializers.JSONField):
    """The quiet hours of each channel, or null."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, allow_null=True, **options)

    def to_internal_value(self, data: Any) -> Any:
        try:
            return quiet_hours.parse(data)
        except InvalidValue as error:
            raise serializers.ValidationError(str(error)) from error


class ServiceDeclaration(Declaration):
    """A service. Its settings become columns of `Service`."""

    id = Value(str, parse_uuid)
    name = Value(str, names.parse_name, stored=lambda service, text: service.name == text)
    live = Value(bool)
    active = Value(bool)
    permissions = Texts(one_of(Permission.values))
    prefix_sms = Value(bool)
    file_contact = Value(str, services.parse_file_contact, stored=lambda service, text: service.file_contact == text)
    rate_limit_per_minute = Value(int, services.check_rate_limit)
    daily_limits = DailyLimitsDeclaration(source="*", required=False)
    retention_days = Value(int, services.check_retention_days)
    unsubscribe_request_days = Value(int, services.check_unsubscribe_request_days)
    accepts_whole_keys = Value(bool)
    suppressed_sends_are_rejected = Value(bool)
    stop_texts_suppress = Value(bool)
    page_language = Value(str, services.check_page_language)
    repeat_guard_minutes = Value(int, services.check_repeat_guard_minutes)
    time_zone = Value(str, check_time_zone)
    quiet_hours = QuietHoursValue()
    team = TeamMemberDeclaration(many=True, required=False)
    guest_list = GuestListDeclaration(required=False)
    sms_senders = SmsSenderDeclaration(many=True, required=False)
    reply_to_addresses = ReplyToDeclaration(many=True, required=False)
    templates = TemplateDeclaration(many=True, required=False)
    api_keys = ApiKeyDeclaration(many=True, required=False)
    callbacks = CallbacksDeclaration(required=False)

    def owner_of(self, data: dict[str, Any]) -> Service | None:
        """Return the service that the object identifies by id, else by name."""
        name = data.get("name")
        if "id" not in data:
            is_text = isinstance(name, str) and is_storable_text(name)
            return Service.objects.filter(name=name).first() if is_text else None
        try:
            return Service.objects.filter(pk=parse_uuid(data["id"])).first()
        except (ValueError, TypeError):
            return None

    def validate_id(self, identifier: UUID) -> UUID:
        try:
            keys.check_part_of_key(identifier)
        except ValueError as error:
            if self.context["owner"]() is None:
                raise serializers.ValidationError(str(error)) from error
        return identifier

    def validate_permissions(self, given: list[str]) -> list[str]:
        return [permission for permission in Permission.values if permission in given]
