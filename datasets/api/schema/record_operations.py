"""Describe the operations of one record for the OpenAPI document."""

from typing import Any

from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from config.docs.annotate import annotated
from datasets.api import dry_runs, serializers
from datasets.api.schema import shapes
from datasets.api.schema.operations import (
    CODING,
    DRY_RUN,
    GROUP,
    SINGLE,
    TYPE,
    answer_header,
    either,
    header,
    path,
)
from datasets.errors import MAX_DELETED, MAX_REASON
from datasets.queries.where.conditions import MAX_CHARACTERS

_TEXT = {"type": "string"}
_ID = path("record_id", "The `_id` of the record, percent-encoded.", {**_TEXT, "examples": ["20261120T09-web"]})
_IF_MATCH = header("If-Match", "The `ETag` of the record that you have read. If it has changed, you get 412.", _TEXT)
_REASON = header(
    "Change-Reason",
    f"Why you change the record: UTF-8, percent-encoded, up to {MAX_REASON} characters. It stays in the audit.",
    {**_TEXT, "pattern": "^[!-~]*$"},
)
_WHERE = OpenApiParameter(
    "where",
    {**_TEXT, "examples": ['channel = "fax"']},
    OpenApiParameter.QUERY,
    required=True,
    description=f'The condition, such as `channel = "fax" and count > 5`. At most {MAX_CHARACTERS:,} characters.',
)
_CHANGED = OpenApiParameter("ETag", _TEXT, OpenApiParameter.HEADER, description="Of the new record.", response=[200])
_EXAMPLE = {"_timestamp": "2026-11-20T09:00:00Z", "channel": "web", "count": 43}


class SingleRecords(OpenApiViewExtension):
    target_class = "datasets.api.record_views.RecordViewSet"

    def view_replacement(self) -> Any:
        return annotated(
            self.target,
            retrieve=extend_schema(
                operation_id="readRecord",
                tags=[SINGLE],
                summary="Read a record",
                description="Return one record. HEAD returns the same headers without a body.",
                responses={
                    (200, "application/json"): shapes.READ_RECORD,
                    304: OpenApiResponse(description="Not changed: `If-None-Match` contains the current entity tag."),
                },
                parameters=[
                    *(GROUP, TYPE, _ID),
                    header("If-None-Match", "The entity tags of stored answers.", _TEXT),
                    answer_header("ETag", "Changes when the record changes.", _TEXT, 200, 304),
                ],
            ),
            change=extend_schema(
                operation_id="changeRecord",
                tags=[SINGLE],
                summary="Change a record",
                description=(
                    "Replace the whole record. Fields that you do not send are removed. The earlier value is kept for "
                    "7 days, and owners can restore it in the console."
                ),
                request={"application/json": shapes.RECORD},
                responses={
                    200: either(serializers.StoredSerializer, dry_runs.AppendDryRunSerializer, "The record is changed.")
                },
                parameters=[GROUP, TYPE, _ID, DRY_RUN, CODING, _IF_MATCH, _REASON, _CHANGED],
                examples=[OpenApiExample("Example", _EXAMPLE, request_only=True)],
            ),
            destroy=extend_schema(
                operation_id="deleteRecord",
                tags=[SINGLE],
                summary="Delete a record",
                description=(
                    "Delete one record. Its value is kept for 7 days, and owners can restore it in the console."
                ),
                responses={
                    200: either(
                        serializers.RecordDeletedSerializer, dry_runs.DeleteDryRunSerializer, "The record is deleted."
                    )
                },
                parameters=[GROUP, TYPE, _ID, DRY_RUN, _IF_MATCH, _REASON],
            ),
        )


class MatchingRecords(OpenApiViewExtension):
    target_class = "datasets.api.deleting.MatchingRecordsViewSet"

    def view_replacement(self) -> Any:
        return annotated(
            self.target,
            destroy=extend_schema(
                operation_id="deleteRecords",
                tags=[SINGLE],
                summary="Delete records by a condition",
                description=(
                    f"Delete all records that match `where`, at most {MAX_DELETED:,}. They cannot be restored, so send "
                    "`dry_run=true` first: the response states how many there are. Other parameters are refused."
                ),
                responses={
                    200: either(
                        serializers.RecordsDeletedSerializer,
                        dry_runs.DeleteDryRunSerializer,
                        "They are deleted.",
                    )
                },
                parameters=[GROUP, TYPE, _WHERE, DRY_RUN, _REASON],
            ),
        )
