"""The API of the inbox for test suites, with an optional wait for a message. Source: docs/reference/running.md §9."""

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.dateparse import parse_datetime
from django.views.decorators.csrf import csrf_exempt

from config.rest import handler
from config.rest.content import write_moment
from notifications import errors
from notifications.delivery.posts import is_known_year
from notifications.errors import SandboxParameterInvalid
from notifications.models import Channel
from notifications.sandbox import access, inbox, waiting
from notifications.sandbox.inbox import Arrived
from notifications.sandbox.sight import Sight


@csrf_exempt  # a DELETE from another site needs a preflight, which this view does not answer
@access.api
def messages(request: HttpRequest, sight: Sight) -> HttpResponse:
    """Return the matching messages, newest first, or delete all."""
    if request.method == "DELETE":
        if not sight.is_whole:
            return _not_an_operator(request)
        inbox.empty()
        return HttpResponse(status=204)
    if request.method != "GET":
        return _wrong_method(request, "GET, DELETE")
    try:
        search, wait = _search(request), waiting.seconds(request)
    except SandboxParameterInvalid as error:
        return handler.answer(request, error)
    found = waiting.until(lambda: inbox.find(sight, **search), wait)
    return JsonResponse({"messages": [_as_json(one) for one in found]})


@csrf_exempt
@access.api
def message(request: HttpRequest, sight: Sight, message_id: UUID) -> HttpResponse:
    """Return or delete one message."""
    if request.method == "DELETE":
        if not sight.is_whole:
            return _not_an_operator(request)
        inbox.remove(message_id)
        return HttpResponse(status=204)
    if request.method != "GET":
        return _wrong_method(request, "GET, DELETE")
    arrived = inbox.get(sight, message_id)
    if arrived is None:
        return handler.answer(request, errors.NoResultFound())
    return JsonResponse(_as_json(arrived))


def _search(request: HttpRequest) -> dict[str, Any]:
    """Return the filters of `inbox.find`. Raises SandboxParameterInvalid."""
    channel = request.GET.get("channel", "")
    if channel and channel not in Channel.values:
        raise SandboxParameterInvalid(name="channel", rule="be sms or email")
    if "\0" in request.GET.get("ref", ""):
        raise SandboxParameterInvalid(name="ref", rule="not contain NUL")
    return {
        "to": request.GET.get("to", ""),
        "reference": request.GET.get("ref"),
        "template_id": _template_id(request.GET.get("template", "")),
        "channel": channel,
        "since": _since(request.GET.get("since", "")),
    }


def _template_id(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise SandboxParameterInvalid(name="template", rule="be the id of a template") from error


def _since(text: str) -> datetime | None:
    if not text:
        return None
    try:
        since = parse_datetime(text)
    except ValueError as error:
        raise SandboxParameterInvalid(name="since", rule="be a moment such as 2026-03-01T09:00:00Z") from error
    if since is None or since.tzinfo is None or not is_known_year(since):
        raise SandboxParameterInvalid(name="since", rule="be a moment with its zone, such as 2026-03-01T09:00:00Z")
    return since


def _not_an_operator(request: HttpRequest) -> HttpResponse:
    return handler.answer(request, errors.SandboxOperatorsAlone())


def _wrong_method(request: HttpRequest, allowed: str) -> HttpResponse:
    return handler.answer(request, errors.MethodNotAllowed(allowed=allowed.split(", ")))


def _as_json(arrived: Arrived) -> dict[str, Any]:
    sent = arrived.notification
    template = {"id": str(sent.template_id), "version": sent.template_version} if sent else None
    return {
        "id": str(arrived.id),
        "notification_id": str(arrived.notification_id),
        "channel": arrived.channel.value,
        "to": arrived.to,
        "from": arrived.sender,
        "subject": arrived.subject,
        "text": arrived.text,
        "html": arrived.html,
        "headers": arrived.headers,
        "files": [asdict(file) for file in arrived.files],
        "reference": arrived.reference,
        "template": template,
        "received_at": write_moment(arrived.received_at),
    }
