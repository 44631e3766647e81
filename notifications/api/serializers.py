"""The request and response bodies of sending. Source: docs/reference/sending-api.md §5.

A serializer reads or writes a body, and describes it in the OpenAPI document.
"""

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, Self

from rest_framework import serializers

from config.rest.content import write_moment
from notifications import errors
from notifications.api import fields
from notifications.api.fields import UTC_DIGITS, TemplateReference, template_reference
from notifications.models import Service
from notifications.submission import policy, requests
from notifications.submission.requests import EmailRequest, MessageRequest, RequestPart, SmsRequest
from notifications.submission.sending.checks import Submission
from notifications.validation.languages import MAX_CODE_CHARACTERS
from notifications.validation.unsubscribe_urls import MAX_UNSUBSCRIBE_URL_CHARACTERS


class RequestSerializer(serializers.Serializer[Any]):  # Any: each subclass has its own type
    """Collect all errors of a body in the order of the contract.

    All requests share one serializer of a class, so it and its fields must not store anything.

    order: the order of the properties; by default the order of declaration
    """

    order: tuple[str, ...] = ()
    allows_unknown = False

    @classmethod
    @cache
    def shared(cls) -> Self:
        """Return the serializer that all requests share."""
        return cls()

    @cached_property
    def known(self) -> Mapping[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields by property. To look one up in `fields` takes longer."""
        return dict(self.fields)

    def get_fields(self) -> dict[str, Any]:
        declared = super().get_fields()
        return {name: declared[name] for name in self.order or declared}

    def read(self, data: object, service: Service) -> Any:  # Any: what `request` returns
        """Return the argument for the use case. Raises InvalidRequest with all errors."""
        values, found = self.parse(data, service)
        if found:
            raise errors.InvalidRequest(found)
        return self.request(values)

    def parse(self, data: Any, service: Service) -> tuple[dict[str, Any], Sequence[errors.NotificationError]]:
        """Return the valid values, and the errors: of invalid properties, then of missing, then of unknown ones.

        service: its permissions decide which phone numbers are valid
        """
        if data and not isinstance(data, dict):
            return {}, [errors.BodyNotAnObject(value=errors.shown(data))]
        given: dict[str, object] = data if isinstance(data, dict) else {}  # null, [], "", 0 and false count as {}
        values: dict[str, Any] = {}
        found: list[errors.NotificationError] = []
        missing: list[errors.NotificationError] = []
        for name, field in self.known.items():
            if name in given:
                try:
                    value = field.to_internal_value(given[name])
                    is_number = isinstance(field, fields.PhoneNumberField)
                    values[name] = policy.parse_phone_number(value, service) if is_number else value
                except errors.ValidationError as error:
                    found += error.errors
            elif field.required:
                missing.append(errors.PropertyMissing(name=name))
        found += missing
        unknown = given.keys() - self.known.keys()
        if unknown and not self.allows_unknown:
            found.append(errors.PropertiesUnexpected(names=unknown))
        return values, found

    def request(self, values: dict[str, Any]) -> Any:
        """Return the argument for the use case."""
        return values


class MessageSerializer(RequestSerializer):
    """A message to send. kind: what the use case takes"""

    kind: type[MessageRequest]

    reference = fields.Reference(
        required=False,
        allow_blank=True,
        max_length=requests.MAX_REFERENCE_CHARACTERS,
        help_text="Your own name for this message or for several messages. Do not put personal data in it.",
    )
    template_id = fields.TemplateIdentifier(help_text="The id of the template. The console shows it.")
    template_version = fields.TemplateVersionChoice(
        required=False,
        help_text=(
            "Only with a test key: the version of the template, as a number, or `draft` for the draft. "
            "By default the version in use."
        ),
    )
    language = fields.Language(
        required=False,
        max_length=MAX_CODE_CHARACTERS,
        help_text="The language of the text, such as `cy`. If the template lacks it, its first language is used.",
    )
    personalisation = fields.Personalisation(
        required=False,
        help_text=(
            "A value for each placeholder of the template: text, a number, or a list. "
            "Names are compared without case, spaces, `_` and `-`. Names that the template does not have are ignored."
        ),
    )
    scheduled_for = fields.ScheduledFor(
        required=False,
        allow_null=True,
        help_text="When to send: ISO 8601, at most 24 hours ahead. The default time zone is UTC. null means now.",
    )

    callback = fields.Callback(
        required=False,
        help_text=(
            "A URL and a bearer token for this message only: Signalbox reports its final status there, in the body of "
            "a delivery status. The URL must be https and public."
        ),
    )

    def request(self, values: dict[str, Any]) -> MessageRequest:
        return self.kind(**values)

    def part(self, data: Any, service: Service) -> RequestPart:
        """Return the valid part of a body with all its errors, for a dry run."""
        values, found = self.parse(data, service)
        given = data.keys() if isinstance(data, dict) else ()
        wanted = {name for name, field in self.fields.items() if field.required or name in given}
        return RequestPart.of(self.kind, values, errors=found, invalid=wanted - values.keys())


class TextMessageSerializer(MessageSerializer):
    """A text message to send."""

    kind = SmsRequest
    order = (
        *("reference", "phone_number", "template_id", "template_version", "language", "personalisation"),
        *("scheduled_for", "sms_sender_id", "callback", "fallback"),
    )

    phone_number = fields.PhoneNumberField(
        help_text="A UK number, or an international one with the permission. Spaces, hyphens and brackets are ignored."
    )
    sms_sender_id = fields.Identifier(
        required=False, help_text="The id of a sender of your service. By default the service's default sender."
    )
    fallback = fields.FallbackField(
        required=False,
        allow_null=True,
        help_text="An email that is sent, with the same personalisation, if the text message fails.",
    )


class EmailSerializer(MessageSerializer):
    """An email to send."""

    kind = EmailRequest
    order = (
        *("reference", "email_address", "template_id", "template_version", "language", "personalisation"),
        *("scheduled_for", "email_reply_to_id", "one_click_unsubscribe_url", "sanitise_content_for", "callback"),
    )

    email_address = fields.EmailAddressField(help_text="The recipient.")
    email_reply_to_id = fields.Identifier(
        required=False, help_text="The id of a reply-to address of your service. By default the service's default."
    )
    one_click_unsubscribe_url = fields.HttpsUrl(
        required=False,
        max_length=MAX_UNSUBSCRIBE_URL_CHARACTERS,
        help_text=(
            "An https URL that unsubscribes the recipient on a POST (RFC 8058). Email programs show a button for it. "
            "If the template has an unsubscribe link, this URL replaces it in the headers but not in the text."
        ),
    )
    sanitise_content_for = fields.Names(
        required=False,
        allow_null=True,
        help_text="Names of values from untrusted sources: their links are removed and their Markdown is escaped.",
    )


class MoveSerializer(RequestSerializer):
    """Another time for a scheduled message."""

    scheduled_for = fields.ScheduledFor(
        allow_null=True,
        help_text="When to send: ISO 8601, UTC where no zone is given, at most 24 hours ahead. null: now.",
    )


class PreviewValuesSerializer(RequestSerializer):
    """The personalisation for a preview."""

    allows_unknown = True

    personalisation = fields.Personalisation(required=False, help_text="A value for each placeholder, as for sending.")
    language = fields.Language(
        required=False, max_length=MAX_CODE_CHARACTERS, help_text="The language of the text, as for sending."
    )


class TextContent(serializers.Serializer[Any]):
    body = serializers.CharField(help_text="The text of the message as it is sent.")
    from_number = serializers.CharField(help_text="The name or number of the sender.")


class EmailContent(serializers.Serializer[Any]):
    subject = serializers.CharField(help_text="The subject, on one line.")
    body = serializers.CharField(help_text="The Markdown with its placeholders filled.")
    from_email = serializers.CharField(help_text="The email address of the sender. It has no inbox.")
    one_click_unsubscribe_url = serializers.URLField(allow_null=True, help_text="As you gave it.")


class SentMessage(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="The id of the message. Keep it to read the status.")
    reference = serializers.CharField(allow_null=True, help_text="As you gave it.")
    uri = serializers.URLField(help_text="The URL of this message.")
    template = TemplateReference()
    scheduled_for = serializers.DateTimeField(allow_null=True, help_text=f"As you gave it. {UTC_DIGITS}")

    @staticmethod
    def written(submission: Submission, base: str) -> dict[str, object]:
        """Return the body. base: the URL of this installation"""
        raise NotImplementedError


class SentTextMessage(SentMessage):
    content = TextContent()

    @staticmethod
    def written(submission: Submission, base: str) -> dict[str, object]:
        return _written(submission, base, content={"body": submission.body, "from_number": submission.sent_from})


class Sanitised(serializers.Serializer[Any]):
    unsanitised = serializers.JSONField(help_text="As you gave it.")
    sanitised = serializers.JSONField(help_text="As it is in the email.")


class SentEmail(SentMessage):
    content = EmailContent()
    sanitised_content = serializers.DictField(
        child=Sanitised(), help_text="The values that `sanitise_content_for` changed, by name."
    )

    @staticmethod
    def written(submission: Submission, base: str) -> dict[str, object]:
        content = {
            "subject": submission.subject,
            "body": submission.body.strip(),
            "from_email": submission.sent_from,
            "one_click_unsubscribe_url": submission.columns["one_click_unsubscribe_url"],
        }
        return _written(submission, base, content=content, sanitised_content=submission.sanitised)


def _written(submission: Submission, base: str, **values: object) -> dict[str, object]:
    columns = submission.columns
    message_id, scheduled_for = str(columns["id"]), columns["scheduled_for"]
    return {
        "id": message_id,
        "reference": columns["reference"],
        "uri": f"{base}/v2/notifications/{message_id}",
        "template": template_reference(columns["template_id"], columns["template_version"], base),
        "scheduled_for": scheduled_for and write_moment(scheduled_for),
        **values,
    }
