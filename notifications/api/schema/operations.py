"""The OpenAPI descriptions of the operations: parameters and successful responses. The views contain none of it."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)

from notifications.api import dry_runs, lists, queries, records, serializers
from notifications.api.schema.describing import (
    DRY_RUN,
    IDEMPOTENCY_KEY,
    OLDER_THAN,
    RATE,
    REPEAT_OF,
    REPLAYED,
    describe,
    path,
    read,
    words,
)

SENDING, READING, TEMPLATES, RECEIVED = "Send messages", "Read messages", "Templates", "Received texts"
BULK = "Bulk sending"
UNSUBSCRIBE_REQUESTS = "Unsubscribe requests"

EMAIL_TEMPLATE = "99309e09-88b3-402f-8eec-450fe9dc451a"  # in the demo data, whose ids are the same on every machine
_SMS_TEMPLATE = "591f3b31-997b-422a-a1f8-6353f93dbfcb"
_TEXT_MESSAGE = {
    "phone_number": "07700 900123",
    "template_id": _SMS_TEMPLATE,
    "personalisation": {"code": "4711"},
    "reference": "gate-code-17",
}
_EMAIL = {
    "email_address": "ana@example.org",
    "template_id": EMAIL_TEMPLATE,
    "personalisation": {"name": "Ana", "items": ["warm clothes", "this email"]},
    "reference": "visit-17",
}
_PREVIEW = {"personalisation": {"name": "Ana", "items": ["warm clothes", "this email"]}}


class ServiceToken(OpenApiAuthenticationExtension):
    target_class = "notifications.api.authentication.ServiceKeyAuthentication"
    name = ["serviceToken", "wholeKey"]
    priority = 1  # before the library's extension for the base class

    def get_security_requirement(self, auto_schema: AutoSchema) -> list[dict[str, list[Any]]]:
        return [{name: []} for name in self.name]

    def get_security_definition(self, auto_schema: AutoSchema) -> list[dict[str, Any]]:
        return [
            {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "JWT",
                "description": "A token signed with the secret of an API key, valid for 30 seconds.",
                "x-variable": "NOTIFY_API_KEY",
            },
            {
                "type": "apiKey",
                "in": "header",
                "name": "Authorization",
                "description": "`ApiKey-v1` and the whole API key. Only services with `accepts_whole_keys` accept it.",
            },
        ]


def _sent(name: str, text: str, body: type, answer: type, example: object, *, about: str) -> Any:
    return extend_schema(
        operation_id=name,
        tags=[SENDING],
        summary=f"Send {text}",
        description=about,
        request={"application/json": body},
        responses={
            201: OpenApiResponse(answer, description="The message is accepted. It is sent in the background."),
            200: OpenApiResponse(dry_runs.DryRunSerializer, description="The result of a dry run."),
        },
        parameters=[IDEMPOTENCY_KEY, DRY_RUN, REPLAYED, REPEAT_OF, *RATE],
        examples=[OpenApiExample("Example", example, request_only=True)],
    )


_MESSAGE_ID = path("notification_id", "The `id` in the response to sending.", "8d9ac9d4-c66a-4e7a-9ca3-6d4a3f0f4d6e")
_TEMPLATE_ID = path("template_id", "The console shows it.", EMAIL_TEMPLATE)
_MESSAGE_FILTERS = (
    words("template_type", queries.TYPES, "The channel. There are no letters."),
    words(
        "status",
        queries.STATUSES,
        "`failed` means every failure, `accepted` means created and sending, `received` means delivered.",
    ),
    OpenApiParameter("reference", description="The exact reference."),
    OLDER_THAN,
    OpenApiParameter("include_jobs", {"enum": ["true", "True"]}, description="Also list the messages of bulk sends."),
)

describe(
    "views.NotificationViewSet",
    sms=_sent(
        "sendTextMessage",
        "a text message",
        serializers.TextMessageSerializer,
        serializers.SentTextMessage,
        _TEXT_MESSAGE,
        about=(
            "A list in the personalisation becomes `ash, birch and cedar`. With `fallback`, an email is sent if the "
            "text message fails. It is checked now, completely, and submitted at most once."
        ),
    ),
    email=_sent(
        "sendEmail",
        "an email",
        serializers.EmailSerializer,
        serializers.SentEmail,
        _EMAIL,
        about="A list in the personalisation becomes bullet points in the body.",
    ),
    retrieve=read(
        "readMessage",
        READING,
        "Read one message",
        records.OneNotificationSerializer,
        _MESSAGE_ID,
        about="Messages of all keys of the service can be read until they are deleted.",
    ),
    scheduled=read(
        "listScheduledMessages",
        READING,
        "List scheduled messages",
        lists.ScheduledNotificationsSerializer,
        *_MESSAGE_FILTERS,
        about="Messages that wait for their time, soonest first. Follow `links.next` until it is absent.",
    ),
    move=extend_schema(
        operation_id="moveScheduledMessage",
        tags=[SENDING],
        summary="Move a scheduled message",
        description="Give a message that waits for its time another one, or send it now.",
        request={"application/json": serializers.MoveSerializer},
        responses={200: OpenApiResponse(records.OneNotificationSerializer, description="The message.")},
        parameters=[_MESSAGE_ID],
        examples=[OpenApiExample("Send now", {"scheduled_for": None}, request_only=True)],
    ),
    cancel=extend_schema(
        operation_id="cancelScheduledMessage",
        tags=[SENDING],
        summary="Cancel a scheduled message",
        description="A message that waits for its time is not sent. A repeated call changes nothing.",
        request=None,
        responses={200: OpenApiResponse(records.OneNotificationSerializer, description="The message.")},
        parameters=[_MESSAGE_ID],
    ),
    list=read(
        "listMessages",
        READING,
        "List messages",
        lists.NotificationsSerializer,
        *_MESSAGE_FILTERS,
        about="Messages sent with keys of the same type, newest first. Follow `links.next` until it is absent.",
    ),
)

describe(
    "views.TemplateViewSet",
    retrieve=read(
        "readTemplate",
        TEMPLATES,
        "Read a template",
        records.TemplateSerializer,
        _TEMPLATE_ID,
        about="The latest version.",
    ),
    version=read(
        "readTemplateVersion",
        TEMPLATES,
        "Read one version of a template",
        records.TemplateSerializer,
        _TEMPLATE_ID,
        OpenApiParameter(
            "number",
            {"type": "integer", "minimum": 1, "examples": [1]},
            OpenApiParameter.PATH,
            description="The number of the version, starting with 1.",
        ),
        about="With the name, subject and body of that version.",
    ),
    preview=extend_schema(
        operation_id="previewTemplate",
        tags=[TEMPLATES],
        summary="Preview a template",
        description="Fill a template without sending it. Values without a placeholder are ignored.",
        request={"application/json": serializers.PreviewValuesSerializer},
        responses={200: OpenApiResponse(records.PreviewSerializer, description="The message as it would be sent.")},
        parameters=[_TEMPLATE_ID],
        examples=[OpenApiExample("Example", _PREVIEW, request_only=True)],
    ),
)

describe(
    "views.ReceivedTextViewSet",
    list=read(
        "listReceivedTexts",
        RECEIVED,
        "List received texts",
        lists.ReceivedTextsSerializer,
        OLDER_THAN,
        about="Texts that people sent to the numbers of the service. The list is the same for every key type.",
    ),
)

describe(
    "views.UnsubscribeRequestViewSet",
    list=read(
        "listUnsubscribeRequests",
        UNSUBSCRIBE_REQUESTS,
        "List unsubscribe requests",
        lists.UnsubscribeRequestsSerializer,
        OLDER_THAN,
        about="Recipients who confirmed an unsubscribe request. The list is the same for every key type.",
    ),
)
