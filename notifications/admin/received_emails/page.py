"""The page of one received email: its facts, its text, and to whom it was forwarded."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from config.console.sections import Fact
from config.encryption import DecryptionFailed
from notifications.admin import permissions
from notifications.models import EmailForward, Notification, ReceivedContent, ReceivedEmail
from notifications.submission.templates import redaction

UNREADABLE = "(encrypted with a key that FIELD_KEYS does not contain)"
_MOST_LISTED = 10


def content(row: ReceivedEmail) -> ReceivedContent:
    """Return the content as staff may read it."""
    try:
        return redaction.received(row)
    except DecryptionFailed:
        return ReceivedContent(subject=UNREADABLE, text=UNREADABLE, attachments=[])


def context(request: HttpRequest, row: ReceivedEmail) -> dict[str, Any]:
    shown = content(row)
    return {"content": shown, "facts": _facts(row, shown), "forwards": _forwards(request, row)}


def replies_to(message: Notification) -> SafeString | str:
    """Return links to the emails that answer a message."""
    rows = ReceivedEmail.objects.filter(notification_id=message.pk, service=message.service_id)
    links = [
        format_html(
            '<a class="sb-link" href="{}">{}</a>{}',
            reverse("admin:notifications_receivedemail_change", args=[row.pk]),
            formats.spoken(row.created_at),
            " (automatic)" if row.is_automatic else "",
        )
        for row in rows.order_by("-created_at")[:_MOST_LISTED]
    ]
    return SafeString("<br>".join(links))


def _facts(row: ReceivedEmail, shown: ReceivedContent) -> list[Fact]:
    return [
        Fact("From", permissions.shown_recipient(row, row.sender)),
        Fact("To", row.reply_to.email_address if row.reply_to else "–"),
        Fact("Received", cells.moment(row.created_at)),
        Fact("Written by", "A program, such as a notice of absence" if row.is_automatic else "A person"),
        Fact("Answers", _message(row)),
        Fact("Files", ", ".join(shown.attachments) or "None"),
    ]


def _message(row: ReceivedEmail) -> SafeString | str:
    message = None
    if row.notification_id is not None:
        stored = Notification.objects.filter(pk=row.notification_id, created_at__gte=row.service.kept_since())
        message = stored.select_related("template").first()
    if message is None:
        return "No message that is still stored"
    url = reverse("admin:notifications_notification_change", args=[message.pk])
    return format_html('<a class="sb-link" href="{}">{}</a>', url, message.template.name)


def _forwards(request: HttpRequest, row: ReceivedEmail) -> list[dict[str, Any]]:
    is_shown_whole = permissions.may_see_recipients(request, row.service_id)
    return [
        {
            "to": permissions.shown(forward.member.title, is_shown_whole=is_shown_whole),
            "at": cells.moment_by(forward.created_at, forward.created_by),
            "state": _state(forward),
        }
        for forward in row.forwards.select_related("member__user").order_by("-created_at")
    ]


def _state(forward: EmailForward) -> SafeString:
    if forward.refused_at:
        return cells.chip("Rejected", "bad")
    return cells.chip("Waiting") if forward.mail_at else cells.chip("Sent", "good")
