"""The body of the response to a dry run of a bulk send. Source: docs/reference/bulk-sending.md §4."""

from typing import Any

from rest_framework import serializers

from config.rest.content import write_moment
from notifications.api.dry_runs import (
    CheckResult,
    DryRunContent,
    DryRunLimits,
    check_results,
    limits_shown,
    template_shown,
)
from notifications.api.fields import TemplateReference
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
    total = serializers.IntegerField(allow_null=True)
    with_errors = serializers.IntegerField(allow_null=True, help_text="null if no row could be checked.")
    errors = DryRunRowError(many=True, help_text="Of at most 1,000 rows.")  # type: ignore[assignment]  # a serializer has its own


class DryRunPreview(serializers.Serializer[Any]):
    row = serializers.IntegerField()
    to = serializers.CharField()
    content = DryRunContent()
    parts = serializers.IntegerField(allow_null=True)


class BulkDryRunSerializer(serializers.Serializer[BulkDryRun]):
    """What a bulk send would do. Unknown values are null."""

    dry_run = serializers.BooleanField(help_text="Always true.")
    accepted = serializers.BooleanField(help_text="Whether the same request would be accepted without `dry_run`.")
    checks = CheckResult(many=True, help_text="All checks of a bulk send, in their order.")
    columns = DryRunColumns(allow_null=True)
    rows = DryRunRows()
    preview = DryRunPreview(many=True, help_text="The first five rows without errors.")
    parts = serializers.IntegerField(allow_null=True, help_text="The parts of all text messages without errors.")
    template = TemplateReference(allow_null=True)
    limits = DryRunLimits()
    scheduled_for = serializers.DateTimeField(allow_null=True)
    sends_at = serializers.DateTimeField(allow_null=True, help_text="When the first messages would be sent.")

    def to_representation(self, run: BulkDryRun) -> dict[str, object]:
        columns = run.columns
        return {
            "dry_run": True,
            "accepted": run.is_accepted,
            "checks": check_results(run.results),
            "columns": columns
            and {
                "names": columns.names,
                "missing": columns.missing,
                "duplicate_recipient": columns.duplicate_recipient,
                "unused": columns.unused,
            },
            "rows": {
                "total": run.rows,
                "with_errors": run.with_errors,
                "errors": [{"row": one.row, "column": one.column, "message": one.message} for one in run.listed],
            },
            "preview": [_previewed(row) for row in run.preview],
            "parts": run.parts,
            "template": run.template and template_shown(run.template, str(self.context["base"])),
            "limits": limits_shown(run.limits),
            "scheduled_for": write_moment(run.scheduled_for),
            "sends_at": write_moment(run.sends_at),
        }


def _previewed(row: PreviewedRow) -> dict[str, object]:
    content = {"body": row.body} if row.subject is None else {"subject": row.subject, "body": row.body}
    return {"row": row.row, "to": row.to, "content": content, "parts": row.parts}
