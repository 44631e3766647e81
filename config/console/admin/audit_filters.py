"""The filters of the audit. A filter with an invalid value is ignored."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from config.audit import places
from config.audit.models import ActorKind
from config.console import audit_sentences

_WHO = {
    ActorKind.USER: "People",
    ActorKind.KEY: "API keys",
    ActorKind.TOKEN: "Access tokens",
    ActorKind.CLOCK: "The system",
    ActorKind.COMMAND: "Commands",
}
KINDS = (
    "accesstoken",
    "apikey",
    "attachment",
    "callbackendpoint",
    "datagroup",
    "dataset",
    "datatype",
    "guestlistentry",
    "notification",
    "protectedname",
    "replytoaddress",
    "retentionrun",
    "service",
    "smssender",
    "teammember",
    "template",
    "user",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A field of the form above the list. choices: value and label; empty for a date."""

    name: str
    title: str
    value: str
    choices: list[tuple[str, str]]


def shown(request: HttpRequest) -> list[Filter]:
    """Return the fields of the form with their current values."""
    fields: list[tuple[str, str, list[tuple[str, str]]]] = [
        ("from", "From", []),
        ("to", "To", []),
        ("who", "Who", [(kind.value, title) for kind, title in _WHO.items()]),
        *((place.field, place.title, place.choices(request)) for place in places.registered()),
        (
            "kind",
            "Kind",
            sorted(((kind, audit_sentences.kind_of(kind)) for kind in KINDS), key=lambda one: one[1].lower()),
        ),
        (
            "verb",
            "Action",
            sorted(((verb, audit_sentences.in_words(verb)) for verb in _verbs()), key=lambda one: one[1]),
        ),
    ]
    return [
        Filter(name=name, title=title, value=request.GET.get(name, ""), choices=choices)
        for name, title, choices in fields
    ]


def chosen(request: HttpRequest) -> Q:
    """Return the filter condition of this request."""
    found = Q()
    asked: dict[str, Any] = {
        "actor_kind": _one_of(request.GET.get("who", ""), set(_WHO)),
        "object_kind": _one_of(request.GET.get("kind", ""), set(KINDS)),
        "verb": _one_of(request.GET.get("verb", ""), set(_verbs())),
        "at__gte": _beginning(request.GET.get("from", ""), 0),
        "at__lt": _beginning(request.GET.get("to", ""), 1),
    }
    for place in places.registered():
        asked[place.field] = _one_of(request.GET.get(place.field, ""), {value for value, _ in place.choices(request)})
    for name, value in asked.items():
        if value:
            found &= Q(**{name: value})
    return found


def _verbs() -> Iterator[str]:
    yield from {**audit_sentences.VERBS, **audit_sentences.OF_ACCOUNTS, **audit_sentences.OF_CLEAN_UP}


def _one_of(value: str, known: set[Any]) -> str:
    return value if value in known else ""


def _beginning(text: str, days_later: int) -> datetime | None:
    """Return midnight, in the console's time zone, some days after the date in `text`. None if it is not a date."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    if not date(2000, 1, 1) <= day < date(3000, 1, 1):
        return None
    return timezone.make_aware(datetime.combine(day + timedelta(days=days_later), time.min))
