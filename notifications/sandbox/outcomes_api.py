"""The API for what happens next in the sandbox: one message, rules, the test clock, and the release of a message.

Source: docs/reference/running.md §9.
"""

import re
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config.rest import handler
from config.rest.content import write_moment
from notifications import errors
from notifications.errors import SandboxParameterInvalid
from notifications.models import ApiKey, Channel, SandboxOutcome, SandboxRule, Service, Template
from notifications.models.sandbox_outcome import MAX_PATTERN_CHARACTERS, MAX_REPLY_CHARACTERS, MOST_RULES
from notifications.recipients import normalise
from notifications.sandbox import access, clock, inbox, outcomes, parameters, releasing
from notifications.sandbox.sight import EVERYTHING

_OUTCOME = ("outcome", "seconds", "reply")
_PLUS = re.compile(r"\A\+(?=[\d*?]+\Z)")
_CONDITIONS = ("recipient", "channel", "template_id", "api_key_id")


@csrf_exempt  # parameters.read_object refuses the content types that another site's form can send
@access.operators("POST")
def outcome(request: HttpRequest, message_id: UUID) -> HttpResponse:
    """Choose what happens next to one message, named by the id of its entry in the inbox or by its own."""
    message = outcomes.find_message(message_id)
    if message is None:
        return handler.answer(request, errors.NoResultFound())
    chosen = _chosen(parameters.read_object(request, _OUTCOME))
    outcomes.choose(message, **chosen)
    message.refresh_from_db()
    return JsonResponse({"notification_id": str(message.pk), "status": message.status, **chosen})


@csrf_exempt
@access.operators("POST")
def release(request: HttpRequest, message_id: UUID) -> HttpResponse:
    """Send one message of the inbox for real, to a recipient in the team or the guest list of its service."""
    arrived = inbox.get(EVERYTHING, message_id)
    if arrived is None:
        return handler.answer(request, errors.NoResultFound())
    to = parameters.text(parameters.read_object(request, ("to",)), "to", most=MAX_PATTERN_CHARACTERS)
    releasing.release(arrived, to)
    return JsonResponse({"id": str(message_id), "released_to": to})


@csrf_exempt
@access.operators("GET", "POST", "DELETE")
def rules(request: HttpRequest) -> HttpResponse:
    """List the rules, newest first, add one, or delete all."""
    if request.method == "DELETE":
        SandboxRule.objects.all().delete()
        return HttpResponse(status=204)
    if request.method == "GET":
        return JsonResponse({"rules": [_as_json(rule) for rule in SandboxRule.objects.newest()]})
    body = parameters.read_object(request, (*_CONDITIONS, *_OUTCOME))
    if SandboxRule.objects.general().count() >= MOST_RULES:
        raise SandboxParameterInvalid(name="The rules", rule=f"be at most {MOST_RULES}. Delete some first")
    rule = SandboxRule.objects.create(**_chosen(body), **_conditions(body))
    return JsonResponse(_as_json(rule), status=201)


@csrf_exempt
@access.operators("DELETE")
def rule(request: HttpRequest, rule_id: UUID) -> HttpResponse:
    if not SandboxRule.objects.filter(pk=rule_id).delete()[0]:
        return handler.answer(request, errors.NoResultFound())
    return HttpResponse(status=204)


@csrf_exempt
@access.operators("POST")
def move_clock(request: HttpRequest) -> HttpResponse:
    """Move the clock of one service, or of all."""
    body = parameters.read_object(request, ("advance_seconds", "service_id"))
    seconds = parameters.number(body, "advance_seconds", least=1, most=clock.MOST_SECONDS)
    service = _row(Service, body, "service_id")
    clock.advance(seconds, service)
    return JsonResponse({"advanced_seconds": seconds, "service_id": str(service.pk) if service else None})


def _chosen(body: dict[str, Any]) -> dict[str, Any]:
    name = parameters.text(body, "outcome", most=20)
    if name not in SandboxOutcome.values:
        raise SandboxParameterInvalid(name="outcome", rule=f"be one of {', '.join(SandboxOutcome.values)}")
    return {
        "outcome": SandboxOutcome(name),
        "seconds": parameters.number(body, "seconds", most=outcomes.MOST_SECONDS),
        "reply": parameters.text(body, "reply", most=MAX_REPLY_CHARACTERS),
    }


def _conditions(body: dict[str, Any]) -> dict[str, Any]:
    channel = parameters.text(body, "channel", most=10)
    if channel and channel not in Channel.values:
        raise SandboxParameterInvalid(name="channel", rule="be sms or email")
    return {
        "channel": channel,
        "recipient": _pattern(parameters.text(body, "recipient", most=MAX_PATTERN_CHARACTERS).strip()),
        "template": _row(Template, body, "template_id"),
        "api_key": _row(ApiKey, body, "api_key_id"),
    }


def _pattern(text: str) -> str:
    """Return a recipient or a pattern in the form in which recipients are compared. Numbers have no plus sign."""
    is_pattern = "*" in text or "?" in text
    compared = _PLUS.sub("", text.lower()) if is_pattern else normalise(text)
    if len(compared) > MAX_PATTERN_CHARACTERS:  # some letters are two in lower case
        raise SandboxParameterInvalid(name="recipient", rule=f"have at most {MAX_PATTERN_CHARACTERS} characters")
    return compared


def _row(model: Any, body: dict[str, Any], name: str) -> Any:  # Any: a model and its row
    identifier = parameters.identifier(body, name)
    found = model.objects.filter(pk=identifier).first() if identifier else None
    if identifier and found is None:
        raise SandboxParameterInvalid(name=name, rule=f"be the id of an existing {model._meta.verbose_name}")
    return found


def _as_json(rule: SandboxRule) -> dict[str, Any]:
    return {
        "id": str(rule.pk),
        "recipient": rule.recipient,
        "channel": rule.channel or None,
        "template_id": str(rule.template_id) if rule.template_id else None,
        "api_key_id": str(rule.api_key_id) if rule.api_key_id else None,
        "notification_id": str(rule.notification_id) if rule.notification_id else None,
        "outcome": rule.outcome,
        "seconds": rule.seconds,
        "reply": rule.reply,
        "created_at": write_moment(rule.created_at),
    }
