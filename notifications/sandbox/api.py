"""The inbox for test suites: what arrived, waiting for it if asked. Source: Developer experience §9."""

import time
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.dateparse import parse_datetime
from django.views.decorators.csrf import csrf_exempt

from notifications.delivery.posts import is_known_year
from notifications.models import Channel
from notifications.sandbox import access, inbox
from notifications.sandbox.inbox import Arrived, Search
from notifications.sandbox.sight import Sight

LONGEST_WAIT_SECONDS = 30
_LOOK_EVERY_SECONDS = 0.1


class WrongParameter(Exception):
    """A query parameter that cannot be read; the message names it."""


@csrf_exempt  # a browser cannot send DELETE here from another site: that needs a preflight, which is not answered
@access.api
def messages(request: HttpRequest, sight: Sight) -> HttpResponse:
    """Answer the matching messages, newest first, or remove all."""
    if request.method == "DELETE":
        if not sight.is_whole:
            return _not_an_operator()
        inbox.empty()
        return HttpResponse(status=204)
    if request.method != "GET":
        return _wrong_method("GET, DELETE")
    try:
        search, wait = _search(request), _wait(request)
    except WrongParameter as error:
        return access.refusal(400, "ValidationError", str(error))
    return JsonResponse({"messages": [_as_json(one) for one in _found(sight, search, wait)]})


@csrf_exempt
@access.api
def message(request: HttpRequest, sight: Sight, message_id: UUID) -> HttpResponse:
    """Answer one message, or remove it."""
    if request.method == "DELETE":
        if not sight.is_whole:
            return _not_an_operator()
        inbox.remove(message_id)
        return HttpResponse(status=204)
    if request.method != "GET":
        return _wrong_method("GET, DELETE")
    arrived = inbox.get(sight, message_id)
    if arrived is None:
        return access.refusal(404, "NoResultFound", "No result found")
    return JsonResponse(_as_json(arrived))


def _found(sight: Sight, search: Search, wait_seconds: float) -> list[Arrived]:
    """Return what matches, as soon as something does, or nothing once the time is over."""
    deadline = time.monotonic() + wait_seconds
    while True:
        found = inbox.find(sight, search)
        if found or time.monotonic() >= deadline:
            return found
        time.sleep(_LOOK_EVERY_SECONDS)


def _search(request: HttpRequest) -> Search:
    channel = request.GET.get("channel", "")
    if channel and channel not in Channel.values:
        raise WrongParameter("channel must be sms or email")
    if "\0" in request.GET.get("ref", ""):
        raise WrongParameter("ref must not contain NUL")
    return Search(
        to=request.GET.get("to", ""),
        reference=request.GET.get("ref"),
        template_id=_template_id(request.GET.get("template", "")),
        channel=channel,
        since=_since(request.GET.get("since", "")),
    )


def _template_id(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise WrongParameter("template must be the id of a template") from error


def _since(text: str) -> datetime | None:
    if not text:
        return None
    try:
        since = parse_datetime(text)
    except ValueError as error:
        raise WrongParameter("since must be a moment such as 2026-03-01T09:00:00Z") from error
    if since is None or since.tzinfo is None or not is_known_year(since):
        raise WrongParameter("since must be a moment with its zone, such as 2026-03-01T09:00:00Z")
    return since


def _wait(request: HttpRequest) -> float:
    text = request.GET.get("wait", "0")
    if not text.isdecimal():
        raise WrongParameter("wait must be a number of seconds")
    return min(float(text), LONGEST_WAIT_SECONDS)


def _not_an_operator() -> HttpResponse:
    return access.refusal(403, "AuthError", "Only operators may remove messages from the inbox")


def _wrong_method(allowed: str) -> HttpResponse:
    answer = access.refusal(405, "MethodNotAllowed", "The method is not allowed for the requested URL")
    answer.headers["Allow"] = allowed
    return answer


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
        "received_at": arrived.received_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }
