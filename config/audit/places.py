"""Filters of the audit trail: the services and data sets that a user may see. Each area registers its own."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest

from config import areas


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """field: the column of `AuditEvent`; choices: id and name of each that the user may choose."""

    title: str
    field: str
    choices: Callable[[HttpRequest], list[tuple[str, str]]]


def registered() -> list[Place]:
    return areas.parts(Place)


def are_open_to(request: HttpRequest) -> bool:
    """Return whether the user may read any audit events."""
    return any(place.choices(request) for place in registered())
