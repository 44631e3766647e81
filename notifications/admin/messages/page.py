"""The page of one message. Source: docs/reference/console.md §2.10."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from config import formats
from config.console import cells
from config.console.admin.row_actions import Button
from config.console.sections import Fact
from notifications.admin import permissions
from notifications.admin.messages import (
    code,
    copying,
    related,
    retrying,
    scheduling,
    status_titles,
    suppressing,
    timeline,
)
from notifications.admin.received_emails import page as received_emails
from notifications.admin.templates import languages
from notifications.errors import EmailTooLargeToShow
from notifications.models import Attachment, Channel, KeyType, MessageOrigin, Notification, UnsubscribeRequest
from notifications.models.status import COMPLETED
from notifications.recipients import phone
from notifications.rendering import email, preview, previews, sms
from notifications.rendering.document import html_document
from notifications.submission import senders
from notifications.submission.templates import redaction
from notifications.validation.languages import DEFAULT_LANGUAGE

_BESIDE_MORE = 2  # buttons that are not under *More*


def context(request: HttpRequest, message: Notification) -> dict[str, Any]:
    """Return the context of the page. Links to files are without their keys: the stored text has none."""
    buttons = _buttons(request, message)
    return {
        "message": message,
        "status": status_titles.chip(message),
        "is_final": message.status in COMPLETED,
        "sentence": timeline.sentence(message),
        "moments": timeline.of(message),
        "facts": _facts(message),
        "files": _files(message),
        "buttons": buttons[:_BESIDE_MORE],
        "more": buttons[_BESIDE_MORE:],
        "for_developers": code.buttons(message),
        "may_search_recipient": permissions.may_see_recipients(request, message.service_id),
        **({"unfilled": redaction.pieces(message)} if redaction.is_on(message) else shown(message)),
    }


def _buttons(request: HttpRequest, message: Notification) -> list[Button]:
    """Return the buttons above the message, those that people need most first."""
    version_url = reverse("admin:notifications_template_version", args=[message.template_id])
    query = urlencode({"number": message.template_version})
    buttons = [
        *retrying.buttons(request, message),
        *scheduling.buttons(request, message),
        *suppressing.buttons(request, message),
        *copying.buttons(request, message),
        Button(f"Open template version {message.template_version}", url=f"{version_url}?{query}"),
    ]
    if row := message.bulk_row:
        url = reverse("admin:notifications_bulksend_change", args=[row.bulk_send_id])
        buttons.append(Button(f"Bulk send, row {formats.number(row.number)}", url=url))
    return buttons


def shown(message: Notification) -> dict[str, Any]:
    return sms_shown(message) if message.channel == Channel.SMS else email_shown(message)


def email_shown(message: Notification) -> dict[str, Any]:
    """Return the email as a sandboxed frame, which never runs in the console's origin (trap T9)."""
    text = email.EmailText(
        subject=message.subject or "",
        filled=message.body,
        language=message.language or DEFAULT_LANGUAGE,
        unsubscribe_url=f"{settings.BASE_URL}/unsubscribe/preview" if message.unsubscribe_link else None,
        unlinked_names=tuple(settings.EMAIL_UNLINKED_NAMES),
    )
    try:
        parts = previews.parts_of(text)
    except EmailTooLargeToShow as error:
        return {"subject": text.subject, "too_large": error.message, "plain": text.body}
    return {
        "subject": parts.subject,
        "document": preview.sandboxed(html_document(parts)),
        "plain": parts.plain,
    }


def sms_shown(message: Notification) -> dict[str, Any]:
    text = sms.SmsText(message.body)
    return {
        "bubble": sms.preview_html(text),
        "sender": phone.displayed(senders.from_number(message.sms_sender)),
        "counted": preview.facts(text),
        "costly": preview.costly(text),
    }


def _facts(message: Notification) -> list[Fact]:
    """Return the facts that the message has."""
    facts = [Fact(label="To", value=permissions.shown_recipient(message, message.recipient))]
    if message.channel == Channel.EMAIL:
        facts.append(Fact(label="From", value=f"{message.service.name} <{senders.from_email(message.service)}>"))
        if message.reply_to:
            facts.append(Fact(label="Reply-to", value=message.reply_to.email_address))
        if answers := received_emails.replies_to(message):
            facts.append(Fact(label="Received replies", value=answers))
        if message.one_click_unsubscribe_url:
            facts.append(Fact(label="Unsubscribe URL", value=message.one_click_unsubscribe_url))
        if request := UnsubscribeRequest.objects.filter(notification_id=message.pk).first():
            url = reverse("admin:notifications_unsubscriberequest_change", args=[request.pk])
            state = "waiting" if request.done_at is None else "done"
            at = formats.spoken(request.created_at)
            asked = format_html('<a class="sb-link" href="{}">{}</a>, {}', url, at, state)
            facts.append(Fact(label="Unsubscribe request", value=asked))
    else:
        facts.append(Fact(label="Sender", value=phone.displayed(senders.from_number(message.sms_sender))))
    if message.reference:
        facts.append(Fact(label="Reference", value=message.reference))
    facts.append(Fact(label="Template", value=f"{message.template.name}, version {message.template_version}"))
    if message.language:
        facts.append(Fact(label="Language", value=languages.named(message.language)))
    return [*facts, _sent_as(message), *related.facts(message)]


def _sent_as(message: Notification) -> Fact:
    """Return the kind of sending. A message from the console has no key, but is real or a test like any other."""
    if message.origin == MessageOrigin.API:
        return Fact(label="Key type", value=message.get_key_type_display())
    kind = "as a test" if message.key_type == KeyType.TEST else "as a real message"
    return Fact(label="Sent from", value=f"Console, {kind}")


def _files(message: Notification) -> list[dict[str, Any]]:
    """Return the message's files. They share its `created_at`, with which their index begins."""
    rows = Attachment.objects.select_related("template").filter(
        service_id=message.service_id, created_at=message.created_at, notification_id=message.pk
    )
    return [
        {
            "name": redaction.file_name(row),
            "size": formats.size(row.size_bytes),
            "last_day": formats.day(row.last_day),
            "downloads": row.download_count,
            "state": cells.chip(row.state(timezone.now()).label),
            "url": reverse("admin:notifications_attachment_change", args=[row.pk]),
        }
        for row in rows
    ]
