"""The body of the response to a dry run of one message. Source: docs/reference/bulk-sending.md §4."""

from typing import Any

from rest_framework import serializers

from config.rest.dry_runs import Always
from notifications.api.fields import UTC_DIGITS, Moment, TemplateReference
from notifications.models import Channel, SuppressionReason
from notifications.submission.sending.dry_run import DryRun

ACCEPTED = "Whether the same request would be accepted without `dry_run`."


class CheckError(serializers.Serializer[Any]):
    status_code = serializers.IntegerField(source="status", help_text="The HTTP status that a send would get.")
    error = serializers.CharField(source="kind")
    message = serializers.CharField()
    fix = serializers.CharField(help_text="What to do.")


class CheckResult(serializers.Serializer[Any]):
    check = serializers.CharField(help_text="The name of the check.")
    ok = serializers.BooleanField(allow_null=True, help_text="null if an earlier error prevents the check.")
    errors = CheckError(many=True)  # type: ignore[assignment]  # a serializer has one of its own


class DryRunContent(serializers.Serializer[Any]):
    """The content as in the response to a send: of an email or of a text message."""

    subject = serializers.CharField(required=False, help_text="Of an email.")
    body = serializers.CharField(help_text="Links to files are those of simulated recipients.")
    from_email = serializers.CharField(required=False, help_text="Of an email.")
    one_click_unsubscribe_url = serializers.URLField(required=False, allow_null=True, help_text="Of an email.")
    from_number = serializers.CharField(
        required=False, allow_null=True, help_text="Of a text message. null if the sender is unknown."
    )

    def to_representation(self, run: DryRun) -> dict[str, object] | None:  # type: ignore[override]  # null is allowed
        if run.body is None:
            return None
        if run.channel is Channel.SMS:
            return {"body": run.body, "from_number": run.sent_from}
        return {
            "subject": run.subject,
            "body": run.body,
            "from_email": run.sent_from,
            "one_click_unsubscribe_url": run.one_click_unsubscribe_url,
        }


class DryRunRecipient(serializers.Serializer[Any]):
    normalised = serializers.CharField()
    international = serializers.BooleanField(source="is_international")
    simulated = serializers.BooleanField(
        source="is_simulated", help_text="Nothing is stored or sent for a simulated recipient."
    )


class DryRunLimit(serializers.Serializer[Any]):
    limit = serializers.IntegerField()
    remaining = serializers.IntegerField()


class DryRunLimits(serializers.Serializer[Any]):
    """The daily limits against which the message would count."""

    sms = DryRunLimit(required=False)
    email = DryRunLimit(required=False)
    international_sms = DryRunLimit(required=False)


class DryRunSerializer(serializers.Serializer[DryRun]):
    """What a send would do. Unknown values are null."""

    dry_run = Always(True)
    accepted = serializers.BooleanField(source="is_accepted", help_text=ACCEPTED)
    checks = CheckResult(many=True, source="results", help_text="All checks of a send, in their order.")
    content = DryRunContent(source="*", allow_null=True)
    html = serializers.CharField(allow_null=True, help_text="An email as email programs show it.")
    parts = serializers.IntegerField(allow_null=True, help_text="The parts of a text message that are charged.")
    characters = serializers.IntegerField(allow_null=True, help_text="The length of a text message.")
    encoding = serializers.ChoiceField(choices=["gsm", "16-bit"], allow_null=True, help_text="Of a text message.")
    recipient = DryRunRecipient(allow_null=True)
    template = TemplateReference(allow_null=True)
    limits = DryRunLimits()
    scheduled_for = Moment(allow_null=True, help_text=f"As you gave it. {UTC_DIGITS}")
    sends_at = Moment(
        allow_null=True,
        help_text=(
            "When the message would be sent: later than now if quiet hours delay it. null if it would not be sent."
        ),
    )
    repeat_of = serializers.UUIDField(
        allow_null=True, help_text="The earlier message that the repeat guard would return. Nothing would be sent."
    )
    suppressed_by = serializers.ChoiceField(
        choices=SuppressionReason.values,
        allow_null=True,
        help_text="The reason why the message would end as `permanent-failure` without being sent.",
    )
