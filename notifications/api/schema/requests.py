"""The bodies callers send, described for the document; what reads them is `api/serializers.py`, in its own words."""

from rest_framework import serializers

from notifications.submission.properties import MAX_REFERENCE_CHARACTERS, MAX_UNSUBSCRIBE_URL_CHARACTERS

EMAIL_TEMPLATE = "99309e09-88b3-402f-8eec-450fe9dc451a"  # of the demo data, where ids are the same on every machine
SMS_TEMPLATE = "591f3b31-997b-422a-a1f8-6353f93dbfcb"


class _Message(serializers.Serializer[object]):
    reference = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=MAX_REFERENCE_CHARACTERS,
        help_text="Your own name for this message or a batch of them. It must hold no personal data: nobody checks.",
    )
    template_id = serializers.UUIDField(help_text="The template to fill, from the console.")
    personalisation = serializers.DictField(
        required=False,
        child=serializers.JSONField(),
        help_text=(
            "A value for each placeholder of the template: text, a number, or a list. "
            "Names are compared without case, spaces, `_` and `-`; names the template does not have are ignored."
        ),
    )
    scheduled_for = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When to send: ISO 8601, UTC where no zone is given, at most 24 hours ahead. null: now.",
    )


class TextMessage(_Message):
    phone_number = serializers.CharField(
        help_text="UK or, where the service may, international. Blanks, hyphens and brackets do not matter."
    )
    sms_sender_id = serializers.UUIDField(
        required=False, help_text="A sender of your service; left out: its default sender."
    )


class Email(_Message):
    email_address = serializers.CharField(help_text="The recipient.")
    email_reply_to_id = serializers.UUIDField(
        required=False, help_text="A reply-to address of your service; left out: its default."
    )
    one_click_unsubscribe_url = serializers.URLField(
        required=False,
        max_length=MAX_UNSUBSCRIBE_URL_CHARACTERS,
        help_text=(
            "An https URL that unsubscribes on an empty POST (RFC 8058). Mail programs show a button for it. "
            "It replaces the link of a template with an unsubscribe link in the headers, not in the text."
        ),
    )
    sanitise_content_for = serializers.ListField(
        required=False,
        allow_null=True,
        child=serializers.JSONField(),
        help_text="Names of values that strangers have written: links and Markdown in them are made harmless.",
    )


class PreviewValues(serializers.Serializer[object]):
    personalisation = serializers.DictField(
        required=False, child=serializers.JSONField(), help_text="A value for each placeholder, as for sending."
    )


TEXT_MESSAGE = {
    "phone_number": "07700 900123",
    "template_id": SMS_TEMPLATE,
    "personalisation": {"code": "4711"},
    "reference": "gate-code-17",
}
EMAIL = {
    "email_address": "ana@example.org",
    "template_id": EMAIL_TEMPLATE,
    "personalisation": {"name": "Ana", "items": ["warm clothes", "this email"]},
    "reference": "visit-17",
}
PREVIEW = {"personalisation": {"name": "Ana", "items": ["warm clothes", "this email"]}}
