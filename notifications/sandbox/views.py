"""The pages of the inbox. The search form uses POST, because a search term may be an email address."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from notifications import errors
from notifications.models import Channel, SandboxOutcome, Template
from notifications.models.sandbox_outcome import MAX_REPLY_CHARACTERS
from notifications.rendering import preview, sms
from notifications.sandbox import access, inbox, one_click, outcomes
from notifications.sandbox.inbox import Arrived
from notifications.sandbox.sight import Sight
from notifications.submission.templates import examples, redaction

SHOWN = 100
INBOX_TITLE = "Sandbox inbox"
WIDTHS = (("phone", "Phone", 360), ("tablet", "Tablet", 600), ("desktop", "Desktop", 960))


@require_http_methods(["GET", "POST"])
@access.page
def messages(request: HttpRequest, sight: Sight) -> HttpResponse:
    """List the messages, newest first."""
    term = request.POST.get("term", "").strip()
    found = inbox.with_text(sight, term, most=SHOWN) if term else inbox.newest(sight, SHOWN)
    template = Template.objects.filter(archived_at=None, service__in=sight.services()).first()
    example = examples.shell(settings.BASE_URL, examples.PLACE_FOR_KEY, template)
    context = {
        **frame(request, INBOX_TITLE),
        "rows": [_row(arrived) for arrived in found],
        "term": term,
        "shown": SHOWN,
        "example": example,
        "may_remove": sight.is_whole,
    }
    return render(request, "sandbox/inbox.html", context)


@require_safe
@access.page
def message(request: HttpRequest, sight: Sight, message_id: UUID) -> HttpResponse:
    return _page(request, sight, _arrived_or_404(sight, message_id))


@require_POST
@access.page
def unsubscribe(request: HttpRequest, sight: Sight, message_id: UUID) -> HttpResponse:
    """Send the unsubscribe request of a mail program and show the answer."""
    arrived = _arrived_or_404(sight, message_id)
    if not arrived.is_whole:
        raise PermissionDenied
    if not arrived.unsubscribe_url:
        raise Http404
    return _page(request, sight, arrived, pressed=one_click.press(arrived.unsubscribe_url))


@require_POST
@access.page
def outcome(request: HttpRequest, sight: Sight, message_id: UUID) -> HttpResponse:
    """Choose what happens next to a message, and show its status."""
    arrived = _arrived_or_404(sight, message_id)
    message, chosen = arrived.notification, request.POST.get("outcome", "")
    if not sight.is_whole:
        raise PermissionDenied
    if message is None or chosen not in SandboxOutcome.values:
        raise Http404
    reply = request.POST.get("reply", "")[:MAX_REPLY_CHARACTERS]
    try:
        outcomes.choose(message, SandboxOutcome(chosen), reply=reply)
    except errors.SandboxParameterInvalid as error:
        return _page(request, sight, arrived, happened=f"Nothing happened: {error.message}.")
    message.refresh_from_db()
    happened = f"{SandboxOutcome(chosen).label}. The status of the message is {message.status}."
    return _page(request, sight, arrived, happened=happened)


@require_POST
@access.page
def remove(request: HttpRequest, sight: Sight, message_id: UUID) -> HttpResponse:
    _arrived_or_404(sight, message_id)
    if not sight.is_whole:
        raise PermissionDenied
    inbox.remove(message_id)
    return redirect("sandbox-inbox")


@require_POST
@access.page
def empty(request: HttpRequest, sight: Sight) -> HttpResponse:
    if not sight.is_whole:
        raise PermissionDenied
    inbox.empty()
    return redirect("sandbox-inbox")


def _arrived_or_404(sight: Sight, message_id: UUID) -> Arrived:
    arrived = inbox.get(sight, message_id)
    if arrived is None:
        raise Http404
    return arrived


def _page(
    request: HttpRequest,
    sight: Sight,
    arrived: Arrived,
    *,
    pressed: one_click.ClickResult | None = None,
    happened: str = "",
) -> HttpResponse:
    context: dict[str, Any] = {"arrived": arrived, "pressed": pressed, "may_remove": sight.is_whole, **_row(arrived)}
    if sight.is_whole and arrived.notification is not None:
        context |= {"outcomes": outcomes.possible(arrived.channel), "happened": happened}
    if arrived.channel is Channel.EMAIL:
        context |= {"widths": WIDTHS, "plain": preview.linked(arrived.text)}
        if arrived.html is not None:
            context["document"] = preview.sandboxed(arrived.html, opens_links=True)
        context["unsubscribe_url"] = arrived.unsubscribe_url
    else:
        text = sms.SmsText(arrived.text)
        bubble = preview.in_own_tab(sms.preview_html(text))
        context |= {"bubble": bubble, "facts": preview.facts(text), "costly": preview.costly(text)}
        context["sender"] = arrived.sender
    sent = arrived.notification
    context["is_redacted"] = sent is not None and redaction.is_on(sent) and not arrived.is_whole
    if sent is not None and request.user.is_staff and sent.created_at >= sent.service.kept_since():
        context["log_url"] = reverse("admin:notifications_notification_change", args=[sent.pk])
    context["page_above"] = (INBOX_TITLE, reverse("sandbox-inbox"))
    title = f"{arrived.channel.label} to {arrived.shown_to}"
    return render(request, "sandbox/message.html", {**frame(request, title), **context})


def _row(arrived: Arrived) -> dict[str, Any]:
    text = arrived.subject or " ".join(arrived.text.split())
    return {
        "id": arrived.id,
        "channel": arrived.channel.label,
        "to": arrived.shown_to,
        "text": text,
        "template_name": arrived.template_name,
        "is_test": arrived.is_test,
        "received_at": arrived.received_at,
    }


def frame(request: HttpRequest, title: str) -> dict[str, Any]:
    """Return the context of the console's frame, without the menu if nobody is signed in."""
    context = admin.site.each_context(request)
    return {**context, "title": title, "is_nav_sidebar_enabled": context["has_permission"]}
