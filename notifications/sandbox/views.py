"""The inbox's pages. Nothing changes on GET, and a search term is posted: it may be an address (trap T1)."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from notifications.models import Channel, Template
from notifications.rendering import preview, sms
from notifications.sandbox import access, inbox
from notifications.sandbox.inbox import Arrived
from notifications.submission import examples

SHOWN = 100
WIDTHS = (("phone", "Phone", 360), ("tablet", "Tablet", 600), ("desktop", "Desktop", 960))


@require_http_methods(["GET", "POST"])
@access.page
def messages(request: HttpRequest) -> HttpResponse:
    """List what arrived, newest first; a script asks for the rows alone and puts them in place."""
    term = request.POST.get("term", "").strip()
    found = inbox.with_words(term, most=SHOWN) if term else inbox.newest(SHOWN)
    context = {"rows": [_row(arrived) for arrived in found], "term": term, "shown": SHOWN}
    if request.headers.get("X-Requested-With") == "fetch":
        return render(request, "sandbox/rows.html", context)
    template = Template.objects.filter(archived_at=None).first()
    example = examples.shell(settings.BASE_URL, examples.PLACE_FOR_KEY, template)
    return render(request, "sandbox/inbox.html", {**_frame(request, "Sandbox inbox"), **context, "example": example})


@access.page
def message(request: HttpRequest, message_id: UUID) -> HttpResponse:
    arrived = inbox.get(message_id)
    if arrived is None:
        raise Http404
    context: dict[str, Any] = {"arrived": arrived, **_row(arrived)}
    if arrived.channel is Channel.EMAIL:
        context |= {"document": preview.sandboxed(arrived.html or ""), "widths": WIDTHS}
        context["unsubscribe"] = arrived.unsubscribe_address
    else:
        text = sms.SmsText(arrived.text)
        context |= {"bubble": sms.preview_html(text), "facts": preview.facts(text), "costly": preview.costly(text)}
        context["sender"] = arrived.sender
    return render(request, "sandbox/message.html", {**_frame(request, "Message"), **context})


@require_POST
@access.page
def remove(request: HttpRequest, message_id: UUID) -> HttpResponse:
    inbox.remove(message_id)
    return redirect("sandbox-inbox")


@require_POST
@access.page
def empty(request: HttpRequest) -> HttpResponse:
    inbox.empty()
    return redirect("sandbox-inbox")


def _row(arrived: Arrived) -> dict[str, Any]:
    words = arrived.subject or " ".join(arrived.text.split())
    return {
        "id": arrived.id,
        "channel": arrived.channel.label,
        "to": arrived.to,
        "words": words,
        "template_name": arrived.template_name,
        "is_test": arrived.is_test,
        "received_at": arrived.received_at,
    }


def _frame(request: HttpRequest, title: str) -> dict[str, Any]:
    """Return the console's frame; without its sidebar where nobody is signed in."""
    context = admin.site.each_context(request)
    return {**context, "title": title, "is_nav_sidebar_enabled": context["has_permission"]}
