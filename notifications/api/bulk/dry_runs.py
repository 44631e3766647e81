"""The body of the response to a dry run of a bulk send. Source: docs/reference/bulk-sending.md §4."""

from typing import Any

from rest_framework import serializers

from config.rest.dry_runs import Always
from notifications.api.dry_runs import ACCEPTED, CheckResult, DryRunContent, DryRunLimits
from notifications.api.fields import Moment, TemplateReference
from notifications.submission.bulk.dry_run import BulkDryRun, PreviewedRow


class DryRunColumns(serializers.Serializer[Any]):
    """How the columns match the template."""

    names = serializers.ListField(child=serializers.CharField())
    missing = serializers.ListField(child=serializers.CharField())
    duplicate_recipient = serializers.ListField(child=serializers.CharField())
    unused = serializers.ListField(child=serializers.CharField())


class DryRunRowError(serializers.Serializer[Any]):
    row = serializers.IntegerField(help_text="The column names are row 1.")
    column = serializers.CharField(allow_null=True, help_text="null if the error concerns the whole row.")
    message = serializers.CharField()


class DryRunRows(serializers.Serializer[Any]):
    total = serializers.IntegerField(source="rows", allow_null=True)
    with_errors = serializers.IntegerField(allow_null=True, help_text="null if no row could be checked.")
    suppressed = serializers.IntegerField(
        allow_null=True,
        help_text="Rows whose recipient is suppressed: their messages would end as `permanent-failure`, not sent.",
    )
    errors = DryRunRowError(  # type: ignore[assignment]  # a serializer has its own
        many=True, source="listed", help_text="Of at most 1,000 rows."
    )


class DryRunPreview(serializers.Serializer[Any]):
    row = serializers.IntegerField()
    to = serializers.CharField()
    content = DryRunContent()
    parts = serializers.IntegerField(allow_null=True)

    def to_representation(self, row: PreviewedRow) -> dict[str, object]:
        content = {"body": row.body} if row.subject is None else {"subject": row.subject, "body": row.body}
        return {"row": row.row, "to": row.to, "content": content, "parts": row.parts}


class BulkDryRunSerializer(serializers.Serializer[BulkDryRun]):
    """What a bulk send would do. Unknown values are null."""

    dry_run = Always(True)
    accepted = serializers.BooleanField(source="is_accepted", help_text=ACCEPTED)
    checks = CheckResult(many=True, source="results", help_text="All checks of a bulk send, in their order.")
    columns = DryRunColumns(allow_null=True)
    rows = DryRunRows(source="*")
    preview = DryRunPreview(many=True, help_text="The first five rows without errors.")
    parts = serializers.IntegerField(allow_null=True, help_text="The parts of all text messages without errors.")
    template = TemplateReference(allow_null=True)
    limits = DryRunLimits()
    scheduled_for = Moment(allow_null=True)
    sends_at = Moment(allow_null=True, help_text="When the first messages would be sent.")
