"""The OpenAPI descriptions of bulk sends."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from notifications.api.bulk import dry_runs, lists, serializers
from notifications.api.schema.describing import (
    DRY_RUN,
    IDEMPOTENCY_KEY,
    OLDER_THAN,
    RATE,
    REPLAYED,
    describe,
    path,
    read,
    words,
)
from notifications.api.schema.operations import BULK, EMAIL_TEMPLATE

_ID = path("bulk_send_id", "The `id` in the response to the bulk send.", "6ce466d0-fd6a-11e5-82f5-e0accb9d11a6")
_BODY = {
    "template_id": EMAIL_TEMPLATE,
    "name": "visitors.csv",
    "rows": [["email address", "name", "items"], ["ana@example.org", "Ana", ["warm clothes", "this email"]]],
}


def _changed(name: str, summary: str, about: str, answer: type = serializers.BulkSendAnswer) -> Any:
    return extend_schema(
        operation_id=name,
        tags=[BULK],
        summary=summary,
        description=f"{about} A repeated call changes nothing.",
        request=None,
        responses={200: OpenApiResponse(answer, description="The bulk send.")},
        parameters=[_ID],
    )


describe(
    "bulk.views.BulkSendViewSet",
    send=extend_schema(
        operation_id="sendBulk",
        tags=[BULK],
        summary="Send to many recipients",
        description="Send one template to every row of a table. All rows are accepted, or none.",
        request={"application/json": serializers.BulkSendRequestSerializer},
        responses={
            201: OpenApiResponse(
                serializers.BulkSendAnswer,
                description="The bulk send is accepted. Its messages are sent in the background.",
            ),
            200: OpenApiResponse(dry_runs.BulkDryRunSerializer, description="The result of a dry run."),
        },
        parameters=[IDEMPOTENCY_KEY, DRY_RUN, REPLAYED, *RATE],
        examples=[OpenApiExample("Example", _BODY, request_only=True)],
    ),
    list=read(
        "listBulkSends",
        BULK,
        "List bulk sends",
        lists.BulkSendsSerializer,
        words("job_status", serializers.STATES, "The state."),
        OLDER_THAN,
        about="Bulk sends of keys of the same type, newest first. Follow `links.next` until it is absent.",
    ),
    retrieve=read(
        "readBulkSend",
        BULK,
        "Read a bulk send",
        serializers.BulkSendDetails,
        _ID,
        about="Return the number of rows in each state and of messages with each status.",
    ),
    rows=read(
        "listBulkRows",
        BULK,
        "List the rows of a bulk send",
        lists.BulkRowsSerializer,
        _ID,
        words("state", serializers.ROW_STATES, "The state of the row."),
        OpenApiParameter(
            "after",
            {"type": "integer", "minimum": 0, "maximum": 999_999_999},
            description="The last row of the previous page. `links.next` contains it.",
        ),
        about="In the order of the table. Follow `links.next` until it is absent.",
    ),
    move=extend_schema(
        operation_id="moveBulkSend",
        tags=[BULK],
        summary="Move a bulk send",
        description="Give a bulk send without messages another time, or send it now.",
        request={"application/json": serializers.MoveBulkSendSerializer},
        responses={200: OpenApiResponse(serializers.BulkSendAnswer, description="The bulk send.")},
        parameters=[_ID],
        examples=[OpenApiExample("Send now", {"scheduled_for": None}, request_only=True)],
    ),
    pause=_changed(
        "pauseBulkSend",
        "Pause a bulk send",
        "Send no further message until it is resumed, for at most 72 hours.",
    ),
    resume=_changed("resumeBulkSend", "Resume a bulk send", "Continue to send a paused bulk send."),
    cancel=_changed(
        "cancelBulkSend",
        "Cancel a bulk send",
        "Rows without a message, and messages that no worker has claimed, are not sent.",
        serializers.CancelledBulkSendAnswer,
    ),
    retry_failed=extend_schema(
        operation_id="retryFailedMessages",
        tags=[BULK],
        summary="Send failed messages again",
        description=(
            "Create a new bulk send from the rows whose message has the status `technical-failure` or "
            "`temporary-failure`. These rows are checked again. Each failed message is retried once."
        ),
        request=None,
        responses={
            201: OpenApiResponse(serializers.BulkSendAnswer, description="The new bulk send."),
            200: OpenApiResponse(serializers.BulkSendAnswer, description="All failed rows are in this earlier retry."),
        },
        parameters=[_ID],
    ),
)
