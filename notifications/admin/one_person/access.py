"""The permission for the page, and the person under the random id of the URL. Source: docs/reference/erasing.md §1."""

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from config.encryption import DecryptionFailed
from config.invalid import InvalidValue
from notifications.admin import permissions, saved_searches
from notifications.models import Role
from notifications.one_person.person import Person

KIND = "person"  # of the saved searches


def may_open(request: HttpRequest) -> bool:
    """Return whether the person is an operator or has both roles in the chosen service."""
    return permissions.may(request, Role.MANAGE_SERVICE) and permissions.may(request, Role.SEE_RECIPIENTS)


def check(request: HttpRequest) -> None:
    """Raise PermissionDenied. Members get the page of another service of theirs if only there they have the roles."""
    if not may_open(request):
        raise PermissionDenied


def found(request: HttpRequest, identifier: UUID) -> Person:
    """Return the person of a search. Raises Http404 for searches of other accounts and services, and after 7 days."""
    check(request)
    saved = saved_searches.find(request, KIND, str(identifier))
    if saved is None:
        raise Http404
    try:
        return Person.parse(saved.term, permissions.chosen_service(request))
    except (DecryptionFailed, InvalidValue) as error:
        raise Http404 from error
