"""The result of a dry run as the send form shows it. Source: docs/reference/console.md §2.11."""

from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from notifications.admin.messages import page
from notifications.models import Channel, LimitKind, Notification
from notifications.submission.sending.checks import Result
from notifications.submission.sending.dry_run import DryRun

_TITLES = {
    "daily_limit": "Daily limit",
    "schema": "Fields",
    "channel": "The service may use this channel",
    "template": "Template",
    "personalisation": "A value for each placeholder",
    "empty": "The message has text",
    "file_in_text": "No file in a text message",
    "sender": "Sender",
    "recipient": "The service may send to this recipient",
    "suppression": "The recipient is not suppressed",
    "number": "The service may send to this kind of number",
    "international_limit": "Daily limit of international text messages",
    "files": "Files",
    "length": "Length",
}
_ONLY_OF_THE_API = {"fallback"}
_OTHER_CHANNEL = {
    Channel.EMAIL: {"file_in_text", "number", "international_limit"},
    Channel.SMS: {"files"},
}
_LIMITS = {
    LimitKind.SMS: "Text messages left today",
    LimitKind.EMAIL: "Emails left today",
    LimitKind.INTERNATIONAL_SMS: "International text messages left today",
}


def context(run: DryRun) -> dict[str, Any]:
    """Return the context of the result: the checks of the channel, facts, and the message as recipients see it."""
    own = [result for result in run.results if result.check not in _OTHER_CHANNEL[run.channel] | _ONLY_OF_THE_API]
    return {"lines": [_line(result) for result in own], "facts": _facts(run), **_shown(run)}


def _shown(run: DryRun) -> dict[str, Any]:
    if run.body is None or run.template is None:
        return {}
    message = Notification(
        channel=run.channel,
        language=run.template.language,
        subject=run.subject,
        body=run.body,
        unsubscribe_link=run.template.unsubscribe_link,
    )
    return {**page.shown(message), "sender": run.sent_from or "unknown sender"}


def _facts(run: DryRun) -> list[tuple[str, str | SafeString]]:
    """Return what is known of the message, as pairs of label and value."""
    found: list[tuple[str, str | SafeString]] = []
    if run.repeat_of:
        url = reverse("admin:notifications_notification_change", args=[run.repeat_of])
        link = format_html('<a class="sb-link" href="{}">Yes: the first message</a>. Nothing would be sent.', url)
        found.append(("Repeats another message", link))
    if run.suppressed_by:
        reason = run.suppressed_by.label.lower()
        found.append(("Suppressed recipient", f"Yes: {reason}. The message would end without being sent."))
    if run.sends_at:
        found.append(("Would be sent", formats.spoken(run.sends_at)))
    if run.parts is not None:
        alphabet = "GSM" if run.encoding == "gsm" else run.encoding
        length = f"{formats.counted(run.characters or 0, 'character')} ({alphabet})"
        found.append(("Length", f"{length}, {formats.counted(run.parts, 'part')}"))
    found += [(_LIMITS[kind], formats.number(limit.remaining)) for kind, limit in run.limits.items()]
    return found


def _line(result: Result) -> tuple[str, SafeString, list[tuple[str, str]]]:
    """Return the title of a check, its chip, and pairs of what is wrong and what to do."""
    chip = {True: ("OK", "good"), False: ("Error", "bad"), None: ("Not checked", "")}[result.ok]
    return _TITLES[result.check], cells.chip(*chip), [(error.message, error.fix) for error in result.errors]
