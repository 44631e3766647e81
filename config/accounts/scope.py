"""The permissions of a person across areas: whether they may open any page, and which audit events they may read.

Source: docs/reference/console.md §1.3, §1.4, §2.18.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Q
from django.http import HttpRequest

from config import areas

_NOTHING = Q(pk__in=[])

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The permissions in one area.

    is_open_to: return whether the person may open any page of the area
    may_read_some: return whether they may read audit events of a service or data set of the area
    audited: return a filter for the audit events of the area that the person may read
    title, column: what its events belong to, such as a service, and the column of `AuditEvent` with the id
    choices: return id and name of each service or data set whose audit the person may read
    """

    is_open_to: Callable[[HttpRequest], bool]
    may_read_some: Callable[[HttpRequest], bool]
    audited: Callable[[HttpRequest], Q]
    title: str
    column: str
    choices: Callable[[HttpRequest], list[tuple[str, str]]]


def is_operator(request: HttpRequest) -> bool:
    """Return whether this person is an active superuser."""
    return request.user.is_active and request.user.is_superuser


def once(request: HttpRequest, name: str, compute: Callable[[], _T]) -> _T:
    """Compute a value when a request first needs it, and return the same value to all who ask later."""
    if name not in request.__dict__:
        request.__dict__[name] = compute()
    found: _T = request.__dict__[name]
    return found


def has_anything(request: HttpRequest) -> bool:
    """Return whether this person may open any page. If not, an operator has to add them to a service first."""
    return is_operator(request) or any(area.is_open_to(request) for area in areas.parts(Access))


def may_read_audit(request: HttpRequest) -> bool:
    return is_operator(request) or any(area.may_read_some(request) for area in areas.parts(Access))


def may_read_audit_of(request: HttpRequest, ids: dict[str, object]) -> bool:
    """Return whether this person may read the audit of a row. ids: see `config.audit.scope_of`."""
    return is_operator(request) or any(
        str(ids.get(area.column)) in {key for key, _ in area.choices(request)} for area in areas.parts(Access)
    )


def audited(request: HttpRequest) -> Q:
    """Return a filter for the audit events this person may read: all for operators, else those of what they manage."""
    if is_operator(request):
        return Q()
    found = _NOTHING
    for area in areas.parts(Access):
        found |= area.audited(request)
    return found
