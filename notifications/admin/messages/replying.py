"""Reply to a received text from the page that sends a message. The URL has the id of the text, never the number."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse

from config.reading import read_uuid
from notifications.admin import permissions
from notifications.models import Channel, ReceivedText, Role, Template
from notifications.recipients import senders

PARAMETER = "reply_to"


def asked_for(request: HttpRequest) -> ReceivedText | None:
    """Return the received text that the person replies to, or None. A text of another service counts as missing."""
    identifier = request.POST.get(PARAMETER) or request.GET.get(PARAMETER)
    if not identifier:
        return None
    mine = ReceivedText.objects.select_related("service").filter(service__in=permissions.services_of(request))
    wanted = read_uuid(identifier)
    text = mine.filter(pk=wanted).first() if wanted else None
    if text is None or text.created_at < text.service.kept_since():
        raise Http404
    if not permissions.may_in(request, text.service_id, [Role.SEND_MESSAGES]):
        raise PermissionDenied
    return text


def check_template(text: ReceivedText, template: Template) -> None:
    """Raise Http404 unless the template is a text message of the service that received the text."""
    if template.service_id != text.service_id or template.type != Channel.SMS:
        raise Http404


def initial_sender(text: ReceivedText) -> str:
    """Return the id of the sender whose number received the text, or "" for the service's default."""
    own = text.service.sms_senders.filter(archived_at=None).order_by("-is_default")
    found = next((one for one in own if senders.from_number(one.sender) == text.notify_number), None)
    return str(found.pk) if found and not found.is_default else ""


def context(request: HttpRequest, text: ReceivedText) -> dict[str, Any]:
    """Return what the pages show of the received text."""
    is_shown_whole = permissions.may_see_recipients(request, text.service)
    return {
        "reply_to": text,
        "reply_recipient": permissions.shown(text.user_number, is_shown_whole=is_shown_whole),
        "list_url": conversation_url(text),
    }


def conversation_url(text: ReceivedText) -> str:
    return reverse("admin:notifications_receivedtext_change", args=[text.pk])
