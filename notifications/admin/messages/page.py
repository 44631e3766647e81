"""The page of one message. Source: docs/reference/console.md §2.10."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import formats
from config.console.admin.row_actions import Button
from config.console.sections import Fact
from notifications.admin import permissions
from notifications.admin.messages import (
    copying,
    retrying,
    scheduling,
    status_titles,
    suppressing,
    timeline,
)
from notifications.admin.received_emails import page as received_emails
from notifications.admin.templates import languages
from notifications.errors import EmailTooLargeToShow
from notifications.models import (
    Attachment,
    Channel,
    Fallback,
    FallbackState,
    KeyType,
    MessageOrigin,
    Notification,
    RequestCallback,
    RetriedMessage,
    UnsubscribeRequest,
)
from notifications.models.status import COMPLETED
from notifications.recipients import phone
from notifications.rendering import email, preview, previews, sms
from notifications.rendering.document import html_document
from notifications.submission import senders
from notifications.submission.templates import redaction
from notifications.validation.languages import DEFAULT_LANGUAGE


def context(request: HttpRequest, message: Notification) -> dict[str, Any]:
    """Return the context of the page. Links to files are without their keys: the stored text has none."""
    return {
        "message": message,
        "status": status_titles.chip(message),
        "is_final": message.status in COMPLETED,
        "sentence": timeline.sentence(message),
        "moments": timeline.of(message),
        "facts": _facts(message),
        "files": _files(message),
        "may_search_recipient": permissions.may_see_recipients(request, message.service_id),
        **({"unfilled": redaction.pieces(message)} if redaction.is_on(message) else shown(message)),
    }


def buttons(request: HttpRequest, message: Notification) -> list[Button]:
    """Return the buttons above the message, those that people need most first."""
    version_url = reverse("admin:notifications_template_version", args=[message.template_id])
    query = urlencode({"number": message.template_version})
    has_number = message.channel != Channel.SMS or copying.own_recipient(request, message.service, Channel.SMS)
    found = [
        *([Button(retrying.TITLE, retrying.RETRY)] if retrying.can_be(message) else []),
        *([Button("Move message", scheduling.MOVE)] if message.is_scheduled else []),
        *([Button("Cancel message", scheduling.CANCEL, tone="ending")] if message.is_scheduled else []),
        Button(f"{suppressing.STOP}…", suppressing.SUPPRESS),
        *([Button(copying.TITLE, copying.COPY)] if has_number and not redaction.is_on(message) else []),
        Button(f"Open template version {message.template_version}", url=f"{version_url}?{query}"),
    ]
    if row := message.bulk_row:
        url = reverse("admin:notifications_bulksend_change", args=[row.bulk_send_id])
        found.append(Button(f"Bulk send, row {formats.number(row.number)}", url=url))
    return found


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
    facts = [Fact("To", permissions.shown_recipient(message, message.recipient))]
    if message.channel == Channel.EMAIL:
        facts.append(Fact("From", f"{message.service.name} <{senders.from_email(message.service)}>"))
        if message.reply_to:
            facts.append(Fact("Reply-to", message.reply_to.email_address))
        if answers := received_emails.replies_to(message):
            facts.append(Fact("Received replies", answers))
        if message.one_click_unsubscribe_url:
            facts.append(Fact("Unsubscribe URL", message.one_click_unsubscribe_url))
        if request := UnsubscribeRequest.objects.filter(notification_id=message.pk).first():
            url = reverse("admin:notifications_unsubscriberequest_change", args=[request.pk])
            state = "waiting" if request.done_at is None else "done"
            at = formats.spoken(request.created_at)
            asked = format_html('<a class="sb-link" href="{}">{}</a>, {}', url, at, state)
            facts.append(Fact("Unsubscribe request", asked))
    else:
        facts.append(Fact("Sender", phone.displayed(senders.from_number(message.sms_sender))))
    if message.reference:
        facts.append(Fact("Reference", message.reference))
    facts.append(Fact("Template", f"{message.template.name}, version {message.template_version}"))
    if message.language:
        facts.append(Fact("Language", languages.named(message.language)))
    return [*facts, _sent_as(message), *_related(message)]


def _related(message: Notification) -> Iterator[Fact]:
    """Yield the facts on messages made from it, or it from them, and on the callback of its request."""
    for link in RetriedMessage.objects.of(message):
        is_first = link.message_id == message.pk
        yield Fact("Retried as" if is_first else "Retry of", _link(link.retry_id if is_first else link.message_id))
    for fallback in Fallback.objects.filter(Q(message=message.pk) | Q(email=message.pk)):
        if fallback.email_id == message.pk:
            yield Fact("Fallback of", _link(fallback.message_id))
        else:
            state = FallbackState(fallback.state).label
            yield Fact("Fallback email", _link(fallback.email_id) if fallback.email_id else state)
    if callback := RequestCallback.objects.filter(pk=message.pk).first():  # the rest of the URL may name a recipient
        yield Fact("Callback of the request", urlsplit(callback.url).hostname or "–")


def _link(message_id: object) -> SafeString:
    url = reverse("admin:notifications_notification_change", args=[message_id])
    return format_html('<a class="sb-link" href="{}">Message {}</a>', url, str(message_id)[:8])


def _sent_as(message: Notification) -> Fact:
    """Return the kind of sending. A message from the console has no key, but is real or a test like any other."""
    if message.origin == MessageOrigin.API:
        return Fact("Key type", message.get_key_type_display())
    kind = "as a test" if message.key_type == KeyType.TEST else "as a real message"
    return Fact("Sent from", f"Console, {kind}")


def _files(message: Notification) -> list[tuple[Attachment, str, str]]:
    """Return the message's files with name and state. They share its `created_at`, with which their index begins."""
    rows = Attachment.objects.select_related("template").filter(
        service_id=message.service_id, created_at=message.created_at, notification_id=message.pk
    )
    return [(row, redaction.file_name(row), row.state(timezone.now()).label) for row in rows]
