"""What the audit can be narrowed to: the services and data sets a person may read of. The areas register theirs."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """field: the column of `AuditEvent`; choices: id and name of each that this person may choose."""

    title: str
    field: str
    choices: Callable[[HttpRequest], list[tuple[str, str]]]


_places: dict[str, Place] = {}


def register(place: Place) -> None:
    _places[place.field] = place


def registered() -> list[Place]:
    return list(_places.values())


def are_open_to(request: HttpRequest) -> bool:
    """Say whether there is anything whose audit this person may read."""
    return any(place.choices(request) for place in _places.values())
