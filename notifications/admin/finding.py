"""Find messages by reference and request id, and API keys by their text. Source: docs/reference/console.md §3.19."""

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest

from config.console import find
from config.console.find import Finder, Match
from config.reading import read_uuid
from notifications.admin import permissions
from notifications.models import ApiCallError, ApiKey, BulkSend, Notification

MOST_LISTED = 10  # messages with the same reference, newest first


def _find(request: HttpRequest, term: str) -> list[Match]:
    services = list(permissions.services_of(request).values_list("pk", flat=True))
    return [
        *find.matches(request, _newest(service__in=services, reference=term)),
        *find.matches(request, _of_request(term, services)),
        *find.matches(request, _keys(term, services)),
    ]


def _of_request(term: str, services: list[UUID]) -> Iterable[Any]:
    """Return the messages and the bulk send of a request, and the key of a refused request."""
    identifier = read_uuid(term)
    if identifier is None:
        return []
    request_id = str(identifier)
    messages = _newest(~Q(request_id=""), request_id=request_id)  # SQLite: the first condition is for the partial index
    bulk_sends = BulkSend.objects.filter(service__in=services, request_id=request_id)
    refused = ApiCallError.objects.filter(key__service__in=services, request_id=request_id).select_related("key")
    return [*messages, *bulk_sends[:1], *(error.key for error in refused[:1])]


def _newest(*conditions: Q, **columns: Any) -> Iterable[Notification]:
    return Notification.objects.filter(*conditions, **columns).order_by("-created_at", "-id")[:MOST_LISTED]


def _keys(term: str, services: list[UUID]) -> list[ApiKey]:
    """Return the keys whose text starts with `term`, or is `term`. A key is `{name}-{service id}-{secret}`."""
    names = list(accumulate(re.split("(?=-)", term)))  # "pay-live-0a…" → "pay", "pay-live", "pay-live-0a…"
    keys = ApiKey.objects.filter(service__in=services, name__in=names)
    return [key for key in keys if _is_of(key, term)]


def _is_of(key: ApiKey, term: str) -> bool:
    start = f"{key.name}-{key.service_id}"
    return start.startswith(term) or (term.startswith(start) and term.endswith(key.last4))


FINDER = Finder(find=_find)
