"""The OpenAPI descriptions of the operations: parameters and successful responses. The views contain none of it."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiViewExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)

from config.docs.annotate import annotated
from notifications.api import dry_runs, lists, queries, records, serializers

SENDING, READING, TEMPLATES, RECEIVED = "Send messages", "Read messages", "Templates", "Received texts"
UNSUBSCRIBE_REQUESTS = "Unsubscribe requests"

_EMAIL_TEMPLATE = "99309e09-88b3-402f-8eec-450fe9dc451a"  # in the demo data, whose ids are the same on every machine
_SMS_TEMPLATE = "591f3b31-997b-422a-a1f8-6353f93dbfcb"
_TEXT_MESSAGE = {
    "phone_number": "07700 900123",
    "template_id": _SMS_TEMPLATE,
    "personalisation": {"code": "4711"},
    "reference": "gate-code-17",
}
_EMAIL = {
    "email_address": "ana@example.org",
    "template_id": _EMAIL_TEMPLATE,
    "personalisation": {"name": "Ana", "items": ["warm clothes", "this email"]},
    "reference": "visit-17",
}
_PREVIEW = {"personalisation": {"name": "Ana", "items": ["warm clothes", "this email"]}}

_UUID = {"type": "string", "format": "uuid"}
_OLDER_THAN = OpenApiParameter(
    "older_than", _UUID, description="The id of the last row of the previous page. `links.next` contains it."
)
_IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    OpenApiParameter.HEADER,
    description="A repeated request with the same key within 24 hours gets the first response and sends no message.",
)
_REPLAYED = OpenApiParameter(
    "Idempotent-Replay",
    {"const": "true"},
    OpenApiParameter.HEADER,
    description="This is the response to an earlier request with the same `Idempotency-Key`.",
    response=[201],
)

_REPEAT_OF = OpenApiParameter(
    "Repeat-Of",
    _UUID,
    OpenApiParameter.HEADER,
    description="The repeat guard of the service stopped this message: the response has the values of the first one.",
    response=[201],
)
_DRY_RUN = OpenApiParameter(
    "dry_run",
    {"enum": ["true", "false"]},
    description=(
        "`true`: carry out all checks, and show what would be sent. Nothing is stored, sent or counted, and "
        "`Idempotency-Key` is ignored. Dry runs have a rate limit of their own, of the same size."
    ),
)


def _rate(name: str, about: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=about, response=[200, 201])


_RATE = [
    _rate(
        "RateLimit-Policy",
        'The requests (q) in a number of seconds (w) for the key type: `"live";q=3000;w=60`. Also with errors.',
    ),
    _rate("RateLimit", 'The number of requests that are left: `"live";r=2999`. Also with errors.'),
]


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
                "x-credential": '$(jwt "$NOTIFY_API_KEY")',
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
        parameters=[_IDEMPOTENCY_KEY, _DRY_RUN, _REPLAYED, _REPEAT_OF, *_RATE],
        examples=[OpenApiExample("Example", example, request_only=True)],
    )


def _read(name: str, tag: str, summary: str, answer: type, *parameters: OpenApiParameter, about: str = "") -> Any:
    return extend_schema(
        operation_id=name,
        tags=[tag],
        summary=summary,
        description=about,
        responses={200: OpenApiResponse(answer, description="The requested data.")},
        parameters=list(parameters),
    )


def _path(name: str, about: str, example: str) -> OpenApiParameter:
    return OpenApiParameter(name, {**_UUID, "examples": [example]}, OpenApiParameter.PATH, description=about)


def _words(name: str, words: tuple[str, ...], about: str) -> OpenApiParameter:
    return OpenApiParameter(name, {"type": "array", "items": {"enum": list(words)}}, description=f"{about} May repeat.")


def _describe(view: str, **operations: Any) -> None:
    """Describe the actions of a view. The generator finds subclasses of the extension by themselves."""
    members = {
        "target_class": f"notifications.api.views.{view}",
        "view_replacement": lambda extension: annotated(extension.target, **operations),
    }
    type(view, (OpenApiViewExtension,), members)


_MESSAGE_ID = _path("notification_id", "The `id` in the response to sending.", "8d9ac9d4-c66a-4e7a-9ca3-6d4a3f0f4d6e")
_TEMPLATE_ID = _path("template_id", "The console shows it.", _EMAIL_TEMPLATE)
_MESSAGE_FILTERS = (
    _words("template_type", queries.TYPES, "The channel. There are no letters."),
    _words(
        "status",
        queries.STATUSES,
        "`failed` means every failure, `accepted` means created and sending, `received` means delivered.",
    ),
    OpenApiParameter("reference", description="The exact reference."),
    _OLDER_THAN,
    OpenApiParameter("include_jobs", {"enum": ["true", "True"]}, description="Also list the messages of bulk sends."),
)

_describe(
    "NotificationViewSet",
    sms=_sent(
        "sendTextMessage",
        "a text message",
        serializers.TextMessageSerializer,
        serializers.SentTextMessage,
        _TEXT_MESSAGE,
        about="A list in the personalisation becomes `ash, birch and cedar`.",
    ),
    email=_sent(
        "sendEmail",
        "an email",
        serializers.EmailSerializer,
        serializers.SentEmail,
        _EMAIL,
        about="A list in the personalisation becomes bullet points in the body.",
    ),
    retrieve=_read(
        "readMessage",
        READING,
        "Read one message",
        records.NotificationSerializer,
        _MESSAGE_ID,
        about="Messages of all keys of the service can be read until they are deleted.",
    ),
    scheduled=_read(
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
        responses={200: OpenApiResponse(records.NotificationSerializer, description="The message.")},
        parameters=[_MESSAGE_ID],
        examples=[OpenApiExample("Send now", {"scheduled_for": None}, request_only=True)],
    ),
    cancel=extend_schema(
        operation_id="cancelScheduledMessage",
        tags=[SENDING],
        summary="Cancel a scheduled message",
        description="A message that waits for its time is not sent. A repeated call changes nothing.",
        request=None,
        responses={200: OpenApiResponse(records.NotificationSerializer, description="The message.")},
        parameters=[_MESSAGE_ID],
    ),
    list=_read(
        "listMessages",
        READING,
        "List messages",
        lists.NotificationsSerializer,
        *_MESSAGE_FILTERS,
        about="Messages sent with keys of the same type, newest first. Follow `links.next` until it is absent.",
    ),
)

_describe(
    "TemplateViewSet",
    list=_read(
        "listTemplates",
        TEMPLATES,
        "List templates",
        lists.TemplatesSerializer,
        _words("type", queries.TYPES, "The channel. There are no letters."),
        about="All templates of the service, except archived ones, in one response.",
    ),
    retrieve=_read(
        "readTemplate",
        TEMPLATES,
        "Read a template",
        records.TemplateSerializer,
        _TEMPLATE_ID,
        about="The latest version.",
    ),
    version=_read(
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

_describe(
    "ReceivedTextViewSet",
    list=_read(
        "listReceivedTexts",
        RECEIVED,
        "List received texts",
        lists.ReceivedTextsSerializer,
        _OLDER_THAN,
        about="Texts that people sent to the numbers of the service. The list is the same for every key type.",
    ),
)

_describe(
    "UnsubscribeRequestViewSet",
    list=_read(
        "listUnsubscribeRequests",
        UNSUBSCRIBE_REQUESTS,
        "List unsubscribe requests",
        lists.UnsubscribeRequestsSerializer,
        _OLDER_THAN,
        about="Recipients who confirmed an unsubscribe request. The list is the same for every key type.",
    ),
)
