"""What the audit is narrowed by: when, who, where, what. A value that makes no sense narrows nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from config.console import audit_places, words
from config.console.models import ActorKind

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
    """One field of the form above the list. choices: value and words; none for a day."""

    name: str
    title: str
    value: str
    choices: list[tuple[str, str]]


def shown(request: HttpRequest) -> list[Filter]:
    """Return the fields of the form, with what was chosen."""
    fields: list[tuple[str, str, list[tuple[str, str]]]] = [
        ("from", "From", []),
        ("to", "To", []),
        ("who", "Who", [(kind.value, title) for kind, title in _WHO.items()]),
        *((place.field, place.title, place.choices(request)) for place in audit_places.registered()),
        ("kind", "Kind", sorted(((kind, words.kind_of(kind)) for kind in KINDS), key=lambda one: one[1].lower())),
        ("verb", "Action", sorted(((verb, words.in_words(verb)) for verb in _verbs()), key=lambda one: one[1])),
    ]
    return [
        Filter(name=name, title=title, value=request.GET.get(name, ""), choices=choices)
        for name, title, choices in fields
    ]


def chosen(request: HttpRequest) -> Q:
    """Return what the filters of this request leave."""
    found = Q()
    asked: dict[str, Any] = {
        "actor_kind": _one_of(request.GET.get("who", ""), set(_WHO)),
        "object_kind": _one_of(request.GET.get("kind", ""), set(KINDS)),
        "verb": _one_of(request.GET.get("verb", ""), set(_verbs())),
        "at__gte": _beginning(request.GET.get("from", ""), 0),
        "at__lt": _beginning(request.GET.get("to", ""), 1),
    }
    for place in audit_places.registered():
        asked[place.field] = _one_of(request.GET.get(place.field, ""), {value for value, _ in place.choices(request)})
    for name, value in asked.items():
        if value:
            found &= Q(**{name: value})
    return found


def _verbs() -> Iterator[str]:
    yield from {**words.VERBS, **words.OF_ACCOUNTS, **words.OF_CLEAN_UP}


def _one_of(value: str, known: set[Any]) -> str:
    return value if value in known else ""


def _beginning(text: str, days_later: int) -> datetime | None:
    """Return the first moment of a day of the console's zone, or of a later one."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    if not date(2000, 1, 1) <= day < date(3000, 1, 1):
        return None
    return timezone.make_aware(datetime.combine(day + timedelta(days=days_later), time.min))
