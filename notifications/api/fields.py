"""The fields of requests and responses, as fields of Django REST framework.

A field of a request parses a JSON value or raises the contract's ValidationError; REST framework's own validators and
messages are not used. The OpenAPI document describes the same fields.
Source: docs/reference/sending-api.md §5, §6.1, §16.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.invalid import InvalidValue
from config.outbound import targets
from config.rest.content import write_moment
from notifications import errors
from notifications.recipients.email import EmailAddress as ParsedEmailAddress
from notifications.submission import policy, requests
from notifications.submission.requests import GivenFallback, GivenId, RequestedCallback
from notifications.submission.sending import scheduled
from notifications.submission.templates import TemplateText
from notifications.validation.languages import MAX_CODE_CHARACTERS, parse_language
from notifications.validation.unsubscribe_urls import MAX_UNSUBSCRIBE_URL_CHARACTERS, is_unsubscribe_url

_HEX = r"[0-9a-f]{8}(?P<h>-?)[0-9a-f]{4}(?P=h)[0-9a-f]{4}(?P=h)[0-9a-f]{4}(?P=h)[0-9a-f]{12}"
_UUID = re.compile(rf"\A(?:urn:uuid:)?(?P<brace>\{{)?{_HEX}(?(brace)\}})\Z", re.IGNORECASE)
UTC_DIGITS = "UTC, always with six digits: `2026-11-20T09:00:00.000000Z`."

_DATE_TIME = re.compile(r"\A[0-9]{4}-?[0-9]{2}-?[0-9]{2}[T ][0-9:.,]+(?:Z|[+-][0-9:]+)?\Z")


def parse_uuid(text: object) -> UUID | None:
    """Return the UUID in a text, or None. Upper case, no hyphens, braces and `urn:uuid:` are allowed.

    `uuid.UUID` alone is too lenient: it accepts white space, underscores and hyphens at any place.

    >>> parse_uuid("{4A3F20E0-5F0D-4A53-9A35-2F0F6F1C7A10}")
    UUID('4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10')
    >>> parse_uuid(" 4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10"), parse_uuid(17)
    (None, None)
    """
    return UUID(text) if isinstance(text, str) and _UUID.match(text) else None


def path_id(name: str, text: str) -> UUID:
    """Return the UUID in a URL. Raises NotAUuid, as for an invalid id in a body. name: of the part of the URL"""
    parsed = parse_uuid(text)
    if parsed is None:
        raise errors.NotAUuid(name=name)
    return parsed


def of_type(name: object, value: object, expected: type | tuple[type, ...], words: str) -> None:
    """Raise WrongType unless the value is of the expected JSON type."""
    if not isinstance(value, expected):
        raise errors.WrongType(name=name, value=errors.shown(value), type=words)


class Reference(serializers.CharField):
    def to_internal_value(self, data: object) -> str:
        of_type(self.field_name, data, str, "string")
        return requests.check_reference(str(data))


class PhoneNumberField(serializers.CharField):
    """The text of a phone number. What a number may be depends on the service, so the serializer parses it."""

    def to_internal_value(self, data: object) -> str:
        of_type(self.field_name, data, str, "string")
        return str(data)


class EmailAddressField(serializers.CharField):
    def to_internal_value(self, data: object) -> ParsedEmailAddress:  # type: ignore[override]  # parsed
        of_type(self.field_name, data, str, "string")
        return policy.parse_email_address(str(data))


class FallbackField(serializers.Serializer[Any]):
    """The email that replaces a text message if it fails. All errors are collected; null means none."""

    email_address = serializers.EmailField(help_text="The recipient of the email.")
    template_id = serializers.UUIDField(
        help_text="The id of an email template of your service. The personalisation has a value for each placeholder."
    )

    def to_internal_value(self, data: Any) -> GivenFallback | None:
        of_type(self.field_name, data, (dict, type(None)), "object, null")
        if data is None:
            return None
        found: list[errors.NotificationError] = []
        email_address, template_id = None, parse_uuid(data.get("template_id"))
        for name in self.fields:
            if name not in data:
                found.append(errors.PropertyMissing(name=f"{self.field_name}.{name}"))
        if "email_address" in data:
            try:
                of_type(f"{self.field_name}.email_address", data["email_address"], str, "string")
                email_address = policy.parse_email_address(data["email_address"])
            except errors.EmailAddressInvalid:
                found.append(errors.FallbackEmailAddressInvalid())
            except errors.WrongType as error:
                found.append(error)
        if "template_id" in data and template_id is None:
            found.append(errors.NotAUuid(name=f"{self.field_name}.template_id"))
        if unknown := data.keys() - self.fields.keys():
            found.append(errors.PropertiesUnexpected(names=[f"{self.field_name}.{name}" for name in unknown]))
        if found or email_address is None or template_id is None:
            raise errors.InvalidRequest(found)
        return GivenFallback(email_address=email_address, template_id=template_id)


class Identifier(serializers.UUIDField):
    """A UUID. A value of another type and a malformed UUID are the same error."""

    def to_internal_value(self, data: object) -> GivenId:  # type: ignore[override]  # with its text
        parsed = parse_uuid(data)
        if parsed is None:
            raise errors.NotAUuid(name=self.field_name)
        return GivenId(parsed, str(data))


class TemplateIdentifier(Identifier):
    """The UUID of a template. No error repeats the caller's spelling of it."""

    def to_internal_value(self, data: object) -> UUID:  # type: ignore[override]  # without its text
        parsed = parse_uuid(data)
        if parsed is None:
            raise errors.NotAUuid(name=self.field_name)
        return parsed


@extend_schema_field(
    {"type": ["integer", "string"], "minimum": 1, "maximum": requests.MAX_VERSION, "pattern": "^draft$"}
)
class TemplateVersionChoice(serializers.Field[Any, Any, Any, Any]):
    """The number of a version, or `draft`."""

    def to_internal_value(self, data: object) -> int | str:
        is_number = isinstance(data, int) and not isinstance(data, bool) and 0 < data <= requests.MAX_VERSION
        if not is_number and data != requests.DRAFT:
            raise errors.TemplateVersionInvalid(value=errors.shown(data))
        return data  # type: ignore[return-value]  # an int or a str


LANGUAGE_SCHEMA = {
    "type": "string",
    "maxLength": MAX_CODE_CHARACTERS,
    "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$",
}


@extend_schema_field(LANGUAGE_SCHEMA)
class Language(serializers.CharField):
    """A language code. The template need not have this language."""

    def to_internal_value(self, data: object) -> str:
        of_type(self.field_name, data, str, "string")
        try:
            return parse_language(str(data))
        except InvalidValue as error:
            raise errors.LanguageInvalid(value=errors.shown(data)) from error


class Personalisation(serializers.DictField):
    child = serializers.JSONField()

    def to_internal_value(self, data: Any) -> Mapping[str, object]:  # type: ignore[override]  # not copied
        of_type(self.field_name, data, dict, "object")
        return requests.check_personalisation(data)


class ScheduledFor(serializers.DateTimeField):
    """A time within the next 24 hours. The default time zone is UTC. null means now."""

    def to_internal_value(self, data: object) -> datetime | None:  # type: ignore[override]  # null means now
        of_type(self.field_name, data, (str, type(None)), "string, null")
        if data is None:
            return None
        moment = parse_moment(str(data))
        if moment is None:
            raise errors.ScheduledForFormat
        self.check_time(moment)
        return moment.astimezone(UTC)

    def check_time(self, moment: datetime) -> None:
        scheduled.check_time(moment)


class HttpsUrl(serializers.URLField):
    """A URL by RFC 3986. All malformed URLs are the same error; a URL too long for a header is another."""

    def to_internal_value(self, data: object) -> str:
        if isinstance(data, str) and len(data) > MAX_UNSUBSCRIBE_URL_CHARACTERS:
            raise errors.UnsubscribeUrlTooLong(value=errors.shown(data))
        if not isinstance(data, str) or not is_unsubscribe_url(data):
            raise errors.UnsubscribeUrlInvalid
        return data


@extend_schema_field(
    {
        "type": "object",
        "required": ["url", "bearer_token"],
        "additionalProperties": False,
        "properties": {
            "url": {"type": "string", "format": "uri", "maxLength": targets.MAX_CHARACTERS},
            "bearer_token": {"type": "string", "minLength": 10, "maxLength": 2000, "pattern": "^[!-~]+$"},
        },
    }
)
class Callback(serializers.Field[Any, Any, Any, Any]):
    """The URL and the token of the callback for one message."""

    def to_internal_value(self, data: object) -> RequestedCallback:
        return requests.parse_callback(data)


class Names(serializers.ListField):
    child = serializers.JSONField()

    def to_internal_value(self, data: Any) -> list[object] | None:  # type: ignore[override]  # null is allowed
        of_type(self.field_name, data, (list, type(None)), "array, null")
        names: list[object] | None = data
        return names


class Moment(serializers.DateTimeField):
    """A time in a response, in the format of `write_moment`."""

    def to_representation(self, value: datetime) -> str | None:  # type: ignore[override]  # never another type
        return write_moment(value)


class TemplateReference(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    version = serializers.IntegerField(min_value=1, help_text="The version that was used.")
    uri = serializers.URLField(help_text="The URL of this version.")

    def to_representation(self, template: TemplateText) -> dict[str, object]:
        return template_reference(template.id, template.version, self.context["base"])


def template_reference(template_id: UUID, version: int, base: str) -> dict[str, object]:
    return {"id": str(template_id), "version": version, "uri": f"{base}/v2/template/{template_id}/version/{version}"}


def parse_moment(text: str) -> datetime | None:
    """Parse a date and time by ISO 8601. Return None for any other text, such as a date without a time."""
    try:
        moment = datetime.fromisoformat(text) if _DATE_TIME.match(text) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC) if moment else None
