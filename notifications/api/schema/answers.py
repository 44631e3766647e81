"""The bodies of answers, described for the document. What writes them is `api/records.py` and `api/serializers.py`;
the suite holds real answers to these."""

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from notifications.api.queries import PAGE_SIZE
from notifications.models import Channel, Status

Shape = serializers.Serializer[object]
_one_object = extend_schema_serializer(many=False)  # an action called `list` would be taken to answer an array
_MOMENT = "UTC, always with six digits: `2026-11-20T09:00:00.000000Z`."


@extend_schema_field({"type": "null"})
class Null(serializers.JSONField):
    """What clients expect to find although nothing is ever there."""


class TemplateReference(Shape):
    id = serializers.UUIDField()
    version = serializers.IntegerField(min_value=1, help_text="The version that was used.")
    uri = serializers.URLField(help_text="Where this version is read.")


class TextContent(Shape):
    body = serializers.CharField(help_text="The message as it is sent.")
    from_number = serializers.CharField(help_text="Name or number it comes from.")


class EmailContent(Shape):
    subject = serializers.CharField(help_text="One line.")
    body = serializers.CharField(help_text="The Markdown, placeholders filled.")
    from_email = serializers.CharField(help_text="The sending address; nobody reads what is sent there.")
    one_click_unsubscribe_url = serializers.URLField(allow_null=True, help_text="As you gave it.")


class _Sent(Shape):
    id = serializers.UUIDField(help_text="Of this message: keep it to read its status.")
    reference = serializers.CharField(allow_null=True, help_text="As you gave it.")
    uri = serializers.URLField(help_text="Where this message is read.")
    template = TemplateReference()
    scheduled_for = serializers.DateTimeField(allow_null=True, help_text=f"As you gave it. {_MOMENT}")


class SentTextMessage(_Sent):
    content = TextContent()


class Sanitised(Shape):
    unsanitised = serializers.JSONField(help_text="As you gave it.")
    sanitised = serializers.JSONField(help_text="As it went into the email.")


class SentEmail(_Sent):
    content = EmailContent()
    sanitised_content = serializers.DictField(
        child=Sanitised(), help_text="The values that `sanitise_content_for` changed, by name; mostly empty."
    )


class CostDetails(Shape):
    billable_sms_fragments = serializers.IntegerField(required=False, help_text="Parts that are paid for.")
    international_rate_multiplier = serializers.FloatField(required=False, help_text="By country; 1 for the UK.")
    sms_rate = serializers.FloatField(required=False, help_text="Pounds for one part.")


class Notification(Shape):
    id = serializers.UUIDField()
    reference = serializers.CharField(allow_null=True)
    type = serializers.ChoiceField(choices=Channel.values)
    phone_number = serializers.CharField(allow_null=True, help_text="As given; null for an email.")
    email_address = serializers.CharField(allow_null=True, help_text="As given; null for a text message.")
    line_1 = Null(help_text="Always null, like the other five lines: for letters, which are not sent.")
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
    created_at = serializers.DateTimeField(help_text=_MOMENT)
    sent_at = serializers.DateTimeField(allow_null=True, help_text="When a provider took it.")
    completed_at = serializers.DateTimeField(allow_null=True, help_text="When it came to its final status.")
    scheduled_for = serializers.DateTimeField(allow_null=True)
    one_click_unsubscribe_url = serializers.URLField(allow_null=True)
    is_cost_data_ready = serializers.BooleanField(help_text="Of a text message: true once a provider has it.")
    cost_in_pounds = serializers.FloatField(allow_null=True)
    cost_details = CostDetails(help_text="Empty for emails, and until the cost is known.")


class PageLinks(Shape):
    current = serializers.URLField(help_text="This page.")
    next = serializers.URLField(required=False, help_text="The page after it; absent when this one is empty.")


@_one_object
class Notifications(Shape):
    notifications = Notification(many=True, help_text=f"Newest first, at most {PAGE_SIZE}.")
    links = PageLinks()


class Placeholder(Shape):
    required = serializers.BooleanField(help_text="Always true.")  # type: ignore[assignment]  # a Field has one of its own


class Template(Shape):
    id = serializers.UUIDField()
    name = serializers.CharField()
    type = serializers.ChoiceField(choices=Channel.values)
    created_at = serializers.DateTimeField(help_text=_MOMENT)
    updated_at = serializers.DateTimeField(allow_null=True, help_text="null in version 1.")
    created_by = serializers.CharField(help_text="Email address of the author.")
    version = serializers.IntegerField(min_value=1)
    body = serializers.CharField(help_text="With its placeholders in double brackets.")
    subject = serializers.CharField(allow_null=True, help_text="null for a text message.")
    personalisation = serializers.DictField(child=Placeholder(), help_text="The placeholders, by name.")
    postage = Null(help_text="Always null.")
    letter_contact_block = Null(help_text="Always null.")


@_one_object
class Templates(Shape):
    templates = Template(many=True, help_text="By name, then type.")


class Preview(Shape):
    id = serializers.UUIDField()
    type = serializers.ChoiceField(choices=Channel.values)
    version = serializers.IntegerField(min_value=1)
    body = serializers.CharField(help_text="The text as it would be sent.")
    subject = serializers.CharField(allow_null=True, help_text="null for a text message.")
    html = serializers.CharField(
        allow_null=True, help_text="The email as mail programs show it; null for a text message."
    )
    postage = Null(help_text="Always null.")


class ReceivedText(Shape):
    id = serializers.UUIDField()
    created_at = serializers.DateTimeField(help_text=_MOMENT)
    service_id = serializers.UUIDField()
    notify_number = serializers.CharField(help_text="The number it came to.")
    user_number = serializers.CharField(help_text="The number it came from.")
    content = serializers.CharField()


@_one_object
class ReceivedTexts(Shape):
    received_text_messages = ReceivedText(many=True, help_text=f"Newest first, at most {PAGE_SIZE}.")
    links = PageLinks()


class UnsubscribeRequest(Shape):
    id = serializers.UUIDField()
    created_at = serializers.DateTimeField(help_text=_MOMENT)
    service_id = serializers.UUIDField()
    template_id = serializers.UUIDField(help_text="The template of the email.")
    notification_id = serializers.UUIDField(help_text="The email. The request is kept longer than its message.")
    email_address = serializers.CharField(help_text="The recipient, as you gave it.")
    done_at = serializers.DateTimeField(allow_null=True, help_text="When staff marked the request as done.")


@_one_object
class UnsubscribeRequests(Shape):
    unsubscribe_requests = UnsubscribeRequest(many=True, help_text=f"Newest first, at most {PAGE_SIZE}.")
    links = PageLinks()
