"""What each area knows of a person's rights: whether anything here is theirs, and which audit rows they may read.

The areas register themselves, so that `config` imports neither. Source: Staff console §1.3, §1.4, §2.18.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpRequest

_NOTHING = Q(pk__in=[])


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """`is_open_to` says whether a person has anything to do in the area; `audited` chooses its `AuditEvent`s."""

    name: str
    is_open_to: Callable[[HttpRequest], bool]
    audited: Callable[[HttpRequest], Q]


_areas: dict[str, Area] = {}


def register(area: Area) -> None:
    _areas[area.name] = area


def is_operator(request: HttpRequest) -> bool:
    """Say whether this person may do everything: an active superuser."""
    return request.user.is_active and request.user.is_superuser


def has_anything(request: HttpRequest) -> bool:
    """Say whether this person has any page here; without one an operator has to add them to a service first."""
    return is_operator(request) or any(area.is_open_to(request) for area in _areas.values())


def audited(request: HttpRequest) -> Q:
    """Return which audit events this person may read: an operator all, others those of what they manage or own."""
    if is_operator(request):
        return Q()
    found = _NOTHING
    for area in _areas.values():
        found |= area.audited(request)
    return found
