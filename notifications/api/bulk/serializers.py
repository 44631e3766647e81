"""The request and response bodies of bulk sends. Source: docs/reference/bulk-sending.md §7, §8."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from rest_framework import serializers

from config.rest.dry_runs import Always
from notifications import errors
from notifications.api import fields
from notifications.api.fields import of_type
from notifications.api.serializers import RequestSerializer
from notifications.bulk_tables.bodies import SentTable
from notifications.bulk_tables.tables import Table
from notifications.models import ApiKey, BulkSend, BulkState, Channel, KeyType, RowState, Service, Status
from notifications.submission import requests
from notifications.submission.bulk import requests as bulk_requests
from notifications.submission.bulk.dry_run import BulkRequestPart
from notifications.submission.bulk.requests import BulkRequest
from notifications.validation.languages import MAX_CODE_CHARACTERS

MAX_NAME_CHARACTERS = 255
STATES = [state.value for state in BulkState if state is not BulkState.DRAFT]
ROW_STATES = [state.value for state in RowState if state is not RowState.UNCHECKED]
UTC_OFFSET = "UTC, always with six digits: `2026-11-20T09:00:00.000000+00:00`."


class BulkName(serializers.CharField):
    def to_internal_value(self, data: object) -> str:
        of_type(self.field_name, data, str, "string")
        if len(str(data)) > MAX_NAME_CHARACTERS:
            raise errors.BulkNameTooLong(value=errors.shown(data))
        return str(data)


class Rows(serializers.ListField):
    child = serializers.ListField(child=serializers.JSONField())

    def to_internal_value(self, data: object) -> SentTable:  # type: ignore[override]  # a file instead of a list
        if not isinstance(data, SentTable):
            raise errors.TableOfWrongType(name=self.field_name, type="array")
        return data


class CsvText(serializers.CharField):
    def to_internal_value(self, data: object) -> SentTable:  # type: ignore[override]  # a file instead of a text
        if not isinstance(data, SentTable):
            raise errors.TableOfWrongType(name=self.field_name, type="string")
        return data


class BulkScheduledFor(fields.ScheduledFor):
    """A time within BULK_SCHEDULE_HOURS. The default time zone is UTC. null means now."""

    def check_time(self, moment: datetime) -> None:
        bulk_requests.check_time(moment)


class SenderId(fields.Identifier):
    """The id of a sender. null: the default."""

    def to_internal_value(self, data: object) -> requests.GivenId | None:  # type: ignore[override]  # null is allowed
        return None if data is None else super().to_internal_value(data)


class BulkSendRequestSerializer(RequestSerializer):
    """A bulk send: a template and a table of recipients."""

    template_id = fields.Identifier(help_text="The id of the template. The console shows it.")
    name = BulkName(max_length=MAX_NAME_CHARACTERS, help_text="The name of the bulk send, such as a file name.")
    language = fields.Language(
        required=False,
        max_length=MAX_CODE_CHARACTERS,
        help_text="The language of the text, such as `cy`. If the template lacks it, its first language is used.",
    )
    rows = Rows(
        required=False,
        help_text=(
            "The table: an array of arrays, the column names first. A cell is text, a number, a boolean, null or an "
            "array of these. Send either `rows` or `csv`."
        ),
    )
    csv = CsvText(required=False, help_text="The table as the text of a CSV file.")
    scheduled_for = BulkScheduledFor(
        required=False,
        allow_null=True,
        help_text="When to send: ISO 8601. The default time zone is UTC. null means now.",
    )
    reply_to_id = SenderId(
        required=False,
        allow_null=True,
        help_text="The id of a reply-to address, or of a text message sender. null means the default.",
    )
    reference = fields.Reference(
        required=False,
        max_length=requests.MAX_REFERENCE_CHARACTERS,
        help_text="The reference of every message whose row has no cell `reference`. Use no personal data.",
    )

    def request(self, values: dict[str, Any]) -> tuple[BulkRequest, SentTable]:
        """Return the request and its table. Raises RowsOrCsv."""
        tables = [values.pop(name) for name in ("rows", "csv") if name in values]
        if len(tables) != 1:
            raise errors.RowsOrCsv
        return BulkRequest(**{**values, "template_id": values["template_id"].value}), tables[0]

    def part(self, data: Any, service: Service, opening: Callable[[SentTable], Callable[[], Table]]) -> BulkRequestPart:
        """Return the valid part of a body with all its errors, for a dry run."""
        values, found = self.parse(data, service)
        given = data.keys() if isinstance(data, dict) else set()
        wanted = {name for name, field in self.fields.items() if field.required or name in given}
        tables = [name for name in ("rows", "csv") if name in given]
        source = next((values[name] for name in tables if name in values), None)
        open_table = opening(source) if source else Table
        return BulkRequestPart(
            values=values, errors=found, invalid=wanted - values.keys(), tables=tables, open_table=open_table
        )


class MoveBulkSendSerializer(RequestSerializer):
    """Another time for a bulk send."""

    scheduled_for = BulkScheduledFor(
        allow_null=True, help_text="When to send: ISO 8601. The default time zone is UTC. null means now."
    )


class Time(serializers.DateTimeField):
    """A time as GC Notify writes it: with six digits and the offset of UTC."""

    def to_representation(self, at: datetime) -> str:
        return at.astimezone(UTC).isoformat(timespec="microseconds")


class ChangedAt(Time):
    def to_representation(self, bulk_send: BulkSend) -> str | None:  # type: ignore[override]  # the whole row
        """Return the time of the last change, or null for a bulk send as it was accepted."""
        changed_at = bulk_send.updated_at
        return None if changed_at == bulk_send.created_at else super().to_representation(changed_at)


class _Named(serializers.Serializer[BulkSend]):
    name = serializers.CharField(source="service_name")


class _Key(serializers.Serializer[ApiKey]):
    id = serializers.UUIDField()
    key_type = serializers.ChoiceField(choices=["normal", "team", "test"], help_text="`normal` is a live key.")
    name = serializers.CharField()

    def to_representation(self, key: ApiKey) -> dict[str, object]:
        key_type = "normal" if key.key_type == KeyType.LIVE else key.key_type
        return {"id": str(key.id), "key_type": key_type, "name": key.name}


class _Creator(serializers.Serializer[BulkSend]):
    id = serializers.UUIDField(
        source="api_key_id", allow_null=True, help_text="The id of the API key; null for a person."
    )
    name = serializers.CharField(source="author")


class BulkSendData(serializers.Serializer[BulkSend]):
    """A bulk send."""

    id = serializers.UUIDField()
    api_key = _Key(allow_null=True, help_text="null if a person sent it in the console.")
    archived = Always(False)
    created_at = Time(help_text=UTC_OFFSET)
    created_by = _Creator(source="*")
    job_status = serializers.ChoiceField(choices=STATES, source="shown_state")
    notification_count = serializers.IntegerField(min_value=0, source="row_count", help_text="The number of rows.")
    original_file_name = serializers.CharField(source="name", help_text="The name that you gave.")
    processing_started = Time(allow_null=True, help_text="When the first message was created.")
    processing_finished = Time(
        allow_null=True, help_text="When the last message was created, or when the bulk send was cancelled."
    )
    scheduled_for = Time(allow_null=True)
    sender_id = serializers.UUIDField(
        allow_null=True, help_text="The sender that you chose, or the default sender of texts."
    )
    service = serializers.UUIDField(source="service_id")
    service_name = _Named(source="*")
    template = serializers.UUIDField(source="template_id")
    template_type = serializers.ChoiceField(choices=Channel.values, source="channel")
    template_version = serializers.IntegerField(min_value=1)
    updated_at = ChangedAt(allow_null=True, source="*", help_text="The last change; null if there was none.")


class BulkSendAnswer(serializers.Serializer[BulkSend]):
    data = BulkSendData(source="*")  # type: ignore[assignment]  # a Serializer has one of its own


class CancelledBulkSendAnswer(BulkSendAnswer):
    cancelled = serializers.IntegerField(help_text="Rows that get no message, or whose message was cancelled.")
    already_sent = serializers.IntegerField(
        source="messages", help_text="Rows whose message a worker had claimed or sent."
    )


class StatusCount(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=Status.values)
    count = serializers.IntegerField()


class RowCounts(serializers.Serializer[BulkSend]):
    waiting = serializers.IntegerField(help_text="Rows that are not yet messages.")
    messages = serializers.IntegerField(help_text="Rows that are messages.")
    cancelled = serializers.IntegerField()
    simulated = serializers.IntegerField(help_text="Rows of simulated recipients, which get no message.")
    repeat = serializers.IntegerField(help_text="Rows that repeat an earlier message.")
    left_out = serializers.IntegerField(help_text="Rows with errors that a person left out.")


class BulkSendDetails(serializers.Serializer[BulkSend]):
    data = BulkSendData(source="*")  # type: ignore[assignment]  # a Serializer has one of its own
    statistics = StatusCount(many=True, source="status_counts", help_text="The messages by status.")
    rows = RowCounts(source="*")
    next_send_at = Time(allow_null=True, help_text="When the next message will be created, if the bulk send waits.")


class RowSerializer(serializers.Serializer[Any]):  # Any: a dict of columns
    row = serializers.IntegerField(
        min_value=2, source="number", help_text="As a spreadsheet shows it: the column names are row 1."
    )
    state = serializers.ChoiceField(choices=ROW_STATES)
    to = serializers.CharField(source="recipient", help_text="The recipient.")
    reference = serializers.CharField(allow_null=True)
    notification_id = serializers.UUIDField(
        allow_null=True, source="notifications__id", help_text="The id of the message, if there is one."
    )
    status = serializers.ChoiceField(
        choices=Status.values, allow_null=True, source="notifications__status", help_text="The status of the message."
    )
