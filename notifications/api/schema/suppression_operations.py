"""The OpenAPI descriptions of suppressions."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from notifications.api.schema.describing import OLDER_THAN, describe, path, read, words
from notifications.api.suppressions import serializers
from notifications.models import Channel, SuppressionReason
from notifications.models.suppression import MAX_NOTE_CHARACTERS

SUPPRESSIONS = "Suppressions"
_ID = path("suppression_id", "The `id` in the list.", "f163deaf-2d3f-4ec6-98fc-f23fa511518f")
_RECIPIENT = {"email_address": "ana@example.org"}
_ROW = serializers.SuppressionSerializer


describe(
    "suppressions.views.SuppressionViewSet",
    list=read(
        "listSuppressions",
        SUPPRESSIONS,
        "List suppressions",
        serializers.SuppressionsSerializer,
        words("type", Channel.values, "The channel."),
        words("reason", SuppressionReason.values, "The reason."),
        OLDER_THAN,
        about="The active suppressions of the service, without those of the whole installation.",
    ),
    add=extend_schema(
        operation_id="addSuppression",
        tags=[SUPPRESSIONS],
        summary="Suppress a recipient",
        description="Send nothing more to a recipient. If it is suppressed already, the later end counts.",
        request={"application/json": serializers.NewSuppressionSerializer},
        responses={
            201: OpenApiResponse(_ROW, description="The recipient is suppressed."),
            200: OpenApiResponse(_ROW, description="The recipient was suppressed already."),
        },
        examples=[OpenApiExample("Example", {**_RECIPIENT, "note": "asked by phone"}, request_only=True)],
    ),
    search=extend_schema(
        operation_id="findSuppressions",
        tags=[SUPPRESSIONS],
        summary="Find the suppressions of a recipient",
        description="The recipient is in the body, so that it is in no access log.",
        request={"application/json": serializers.RecipientSerializer},
        responses={200: OpenApiResponse(serializers.FoundSuppressionsSerializer, description="The suppressions.")},
        examples=[OpenApiExample("Example", _RECIPIENT, request_only=True)],
    ),
    retrieve=read("readSuppression", SUPPRESSIONS, "Read one suppression", _ROW, _ID, about="Also if it is lifted."),
    lift=extend_schema(
        operation_id="liftSuppression",
        tags=[SUPPRESSIONS],
        summary="Lift a suppression",
        description="Messages to the recipient are sent again. A repeated call changes nothing.",
        request=None,
        responses={200: OpenApiResponse(_ROW, description="The lifted suppression.")},
        parameters=[
            _ID,
            OpenApiParameter(
                "reason",
                {"type": "string", "maxLength": MAX_NOTE_CHARACTERS},
                description="Why. The audit keeps it. Do not put personal data in it.",
            ),
        ],
    ),
)
