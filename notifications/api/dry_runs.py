"""The body of the response to a dry run of one message. Source: docs/reference/bulk-sending.md §4."""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework import serializers

from config.rest.content import write_moment
from notifications.api.fields import UTC_DIGITS, TemplateReference
from notifications.models import Channel, LimitKind
from notifications.submission.checks import Result
from notifications.submission.dry_run import DryRun, Limit
from notifications.submission.templates import TemplateText


class CheckError(serializers.Serializer[Any]):
    status_code = serializers.IntegerField(help_text="The HTTP status that a send would get.")
    error = serializers.CharField()
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


class DryRunRecipient(serializers.Serializer[Any]):
    normalised = serializers.CharField()
    international = serializers.BooleanField()
    simulated = serializers.BooleanField(help_text="Nothing is stored or sent for a simulated recipient.")


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

    dry_run = serializers.BooleanField(help_text="Always true.")
    accepted = serializers.BooleanField(help_text="Whether the same request would be accepted without `dry_run`.")
    checks = CheckResult(many=True, help_text="All checks of a send, in their order.")
    content = DryRunContent(allow_null=True)
    html = serializers.CharField(allow_null=True, help_text="An email as email programs show it.")
    parts = serializers.IntegerField(allow_null=True, help_text="The parts of a text message that are charged.")
    characters = serializers.IntegerField(allow_null=True, help_text="The length of a text message.")
    encoding = serializers.ChoiceField(choices=["gsm", "16-bit"], allow_null=True, help_text="Of a text message.")
    recipient = DryRunRecipient(allow_null=True)
    template = TemplateReference(allow_null=True)
    limits = DryRunLimits()
    scheduled_for = serializers.DateTimeField(allow_null=True, help_text=f"As you gave it. {UTC_DIGITS}")
    sends_at = serializers.DateTimeField(
        allow_null=True, help_text="When the message would be sent: later than now if quiet hours delay it."
    )
    repeat_of = serializers.UUIDField(
        allow_null=True, help_text="The earlier message that the repeat guard would return. Nothing would be sent."
    )

    def to_representation(self, run: DryRun) -> dict[str, object]:
        template, recipient = run.template, run.recipient
        encodings = {None: None, False: "gsm", True: "16-bit"}
        return {
            "dry_run": True,
            "accepted": run.is_accepted,
            "checks": check_results(run.results),
            "content": None if run.body is None else _content(run),
            "html": run.html,
            "parts": run.parts,
            "characters": run.characters,
            "encoding": encodings[run.is_16_bit],
            "recipient": recipient
            and {
                "normalised": recipient.normalised,
                "international": recipient.is_international,
                "simulated": recipient.is_simulated,
            },
            "template": template and template_shown(template, str(self.context["base"])),
            "limits": limits_shown(run.limits),
            "scheduled_for": write_moment(run.scheduled_for),
            "sends_at": write_moment(run.sends_at),
            "repeat_of": str(run.repeat_of) if run.repeat_of else None,
        }


def template_shown(template: TemplateText, base: str) -> dict[str, object]:
    uri = f"{base}/v2/template/{template.id}/version/{template.version}"
    return {"id": str(template.id), "version": template.version, "uri": uri}


def limits_shown(limits: Mapping[LimitKind, Limit]) -> dict[str, object]:
    return {LimitKind(kind).value: {"limit": one.limit, "remaining": one.remaining} for kind, one in limits.items()}


def check_results(results: Sequence[Result]) -> list[dict[str, object]]:
    """Return the results of checks as a response shows them."""
    return [
        {
            "check": result.check,
            "ok": result.ok,
            "errors": [
                {"status_code": error.status, "error": error.kind, "message": error.message, "fix": error.fix}
                for error in result.errors
            ],
        }
        for result in results
    ]


def _content(run: DryRun) -> dict[str, object]:
    if run.channel is Channel.SMS:
        return {"body": run.body, "from_number": run.sent_from}
    return {
        "subject": run.subject,
        "body": run.body,
        "from_email": run.sent_from,
        "one_click_unsubscribe_url": run.one_click_unsubscribe_url,
    }
