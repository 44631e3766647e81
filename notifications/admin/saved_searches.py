"""Terms of searches by POST, stored encrypted, so that the URL of a result holds only a random id.

Source: docs/reference/console.md §1.2 T1.
"""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from config.accounts.saved_search import SEARCHES_ARE_KEPT_FOR, SavedSearch
from notifications.admin import permissions

MOST_CHARACTERS = 1000  # the length limit of a reference


def keep(request: HttpRequest, kind: str, term: str) -> UUID:
    """Store a term for this person and the chosen service, and return its id. kind: the list that is searched"""
    saved = SavedSearch(**_owner(request), kind=kind)
    saved.set_term(term.replace("\0", "")[:MOST_CHARACTERS])
    saved.save()
    return saved.pk


def find(request: HttpRequest, kind: str, identifier: str) -> SavedSearch | None:
    """Return the search if it belongs to this person and the chosen service and has not expired."""
    since = timezone.now() - SEARCHES_ARE_KEPT_FOR
    try:
        return SavedSearch.objects.filter(pk=identifier, kind=kind, created_at__gte=since, **_owner(request)).first()
    except ValidationError:
        return None


def _owner(request: HttpRequest) -> dict[str, Any]:
    service = permissions.chosen_service(request)
    return {"user_id": request.user.pk or 0, "service_id": service.pk if service else None}  # no user has the id 0
