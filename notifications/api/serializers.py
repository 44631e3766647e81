"""The bodies of sending: requests, and the answers to them. Source: docs/reference/sending-api.md §5.

A serializer reads or writes a body, and describes it in the OpenAPI document.
"""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from notifications import errors
from notifications.api import fields
from notifications.api.fields import UTC_DIGITS, TemplateReference, moment, template_reference
from notifications.submission import requests
from notifications.submission.requests import EmailRequest, SmsRequest
from notifications.submission.submit import Submission
from notifications.validation.unsubscribe_urls import MAX_UNSUBSCRIBE_URL_CHARACTERS


class RequestSerializer(serializers.Serializer[Any]):  # Any: what comes out differs
    """Collects all errors of a body, in the contract's order and words. Needs `service` in the context.

    order: of the properties; by default as they are declared
    """

    order: tuple[str, ...] = ()
    allows_unknown = False

    def get_fields(self) -> dict[str, Any]:
        declared = super().get_fields()
        return {name: declared[name] for name in self.order or declared}

    def run_validation(self, data: Any = None) -> Any:  # Any: as the base class has it
        """Raises InvalidRequest: wrong properties in their order, then missing ones, then unknown ones."""
        if data and not isinstance(data, dict):
            raise errors.InvalidRequest([errors.BodyNotAnObject(value=errors.shown(data))])
        given: dict[str, object] = data if isinstance(data, dict) else {}  # null, [], "", 0 and false count as {}
        values: dict[str, Any] = {}
        found: list[errors.NotificationError] = []
        for name, field in self.fields.items():
            if name in given:
                try:
                    values[name] = field.to_internal_value(given[name])
                except errors.ValidationError as error:
                    found.append(error)
        missing = [name for name, field in self.fields.items() if field.required and name not in given]
        found += [errors.PropertyMissing(name=name) for name in missing]
        unknown = given.keys() - self.fields.keys()
        if unknown and not self.allows_unknown:
            found.append(errors.PropertiesUnexpected(names=unknown))
        if found:
            raise errors.InvalidRequest(found)
        return self.request(values)

    def request(self, values: dict[str, Any]) -> Any:
        """Return what the use case takes."""
        return values


class _MessageSerializer(RequestSerializer):
    reference = fields.Reference(
        required=False,
        allow_blank=True,
        max_length=requests.MAX_REFERENCE_CHARACTERS,
        help_text="Your own name for this message or a batch of them. It must hold no personal data: nobody checks.",
    )
    template_id = fields.Identifier(help_text="The template to fill, from the console.")
    personalisation = fields.Personalisation(
        required=False,
        help_text=(
            "A value for each placeholder of the template: text, a number, or a list. "
            "Names are compared without case, spaces, `_` and `-`; names the template does not have are ignored."
        ),
    )
    scheduled_for = fields.ScheduledFor(
        required=False,
        allow_null=True,
        help_text="When to send: ISO 8601, UTC where no zone is given, at most 24 hours ahead. null: now.",
    )


class TextMessageSerializer(_MessageSerializer):
    """A text message to send."""

    order = ("reference", "phone_number", "template_id", "personalisation", "scheduled_for", "sms_sender_id")

    phone_number = fields.PhoneNumber(
        help_text="UK or, where the service may, international. Blanks, hyphens and brackets do not matter."
    )
    sms_sender_id = fields.Identifier(
        required=False, help_text="A sender of your service; left out: its default sender."
    )

    def request(self, values: dict[str, Any]) -> SmsRequest:
        return SmsRequest(**{**values, "template_id": values["template_id"].value})


class EmailSerializer(_MessageSerializer):
    """An email to send."""

    order = (
        *("reference", "email_address", "template_id", "personalisation", "scheduled_for", "email_reply_to_id"),
        *("one_click_unsubscribe_url", "sanitise_content_for"),
    )

    email_address = fields.EmailAddress(help_text="The recipient.")
    email_reply_to_id = fields.Identifier(
        required=False, help_text="A reply-to address of your service; left out: its default."
    )
    one_click_unsubscribe_url = fields.HttpsUrl(
        required=False,
        max_length=MAX_UNSUBSCRIBE_URL_CHARACTERS,
        help_text=(
            "An https URL that unsubscribes on an empty POST (RFC 8058). Mail programs show a button for it. "
            "It replaces the link of a template with an unsubscribe link in the headers, not in the text."
        ),
    )
    sanitise_content_for = fields.Names(
        required=False,
        allow_null=True,
        help_text="Names of values that strangers have written: links and Markdown in them are made harmless.",
    )

    def request(self, values: dict[str, Any]) -> EmailRequest:
        return EmailRequest(**{**values, "template_id": values["template_id"].value})


class MoveSerializer(RequestSerializer):
    """Another time for a scheduled message."""

    scheduled_for = fields.ScheduledFor(
        allow_null=True,
        help_text="When to send: ISO 8601, UTC where no zone is given, at most 24 hours ahead. null: now.",
    )


class PreviewValuesSerializer(RequestSerializer):
    """The values to fill a template with."""

    allows_unknown = True

    personalisation = fields.Personalisation(required=False, help_text="A value for each placeholder, as for sending.")


class TextContent(serializers.Serializer[Any]):
    body = serializers.CharField(help_text="The message as it is sent.")
    from_number = serializers.CharField(help_text="Name or number it comes from.")


class EmailContent(serializers.Serializer[Any]):
    subject = serializers.CharField(help_text="One line.")
    body = serializers.CharField(help_text="The Markdown, placeholders filled.")
    from_email = serializers.CharField(help_text="The sending address; nobody reads what is sent there.")
    one_click_unsubscribe_url = serializers.URLField(allow_null=True, help_text="As you gave it.")


class SentMessage(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="Of this message: keep it to read its status.")
    reference = serializers.CharField(allow_null=True, help_text="As you gave it.")
    uri = serializers.URLField(help_text="Where this message is read.")
    template = TemplateReference()
    scheduled_for = serializers.DateTimeField(allow_null=True, help_text=f"As you gave it. {UTC_DIGITS}")

    def _common(self, submission: Submission, content: Mapping[str, object]) -> dict[str, object]:
        notification, base = submission.notification, self.context["base"]
        return {
            "id": str(notification.id),
            "reference": notification.reference,
            "content": content,
            "uri": f"{base}/v2/notifications/{notification.id}",
            "template": template_reference(notification, base),
            "scheduled_for": moment(notification.scheduled_for),
        }


class SentTextMessage(SentMessage):
    content = TextContent()

    def to_representation(self, submission: Submission) -> dict[str, object]:
        return self._common(submission, {"body": submission.body, "from_number": submission.sent_from})


class Sanitised(serializers.Serializer[Any]):
    unsanitised = serializers.JSONField(help_text="As you gave it.")
    sanitised = serializers.JSONField(help_text="As it went into the email.")


class SentEmail(SentMessage):
    content = EmailContent()
    sanitised_content = serializers.DictField(
        child=Sanitised(), help_text="The values that `sanitise_content_for` changed, by name; mostly empty."
    )

    def to_representation(self, submission: Submission) -> dict[str, object]:
        content = {
            "subject": submission.subject,
            "body": submission.body.strip(),
            "from_email": submission.sent_from,
            "one_click_unsubscribe_url": submission.notification.one_click_unsubscribe_url,
        }
        return {**self._common(submission, content), "sanitised_content": submission.sanitised}
