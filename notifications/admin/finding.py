"""Find messages, keys, templates, services and people of the team. Source: docs/reference/console.md §3.19."""

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import Any
from uuid import UUID

from django.db.models import F, Q
from django.http import HttpRequest
from django.urls import reverse

from config.console import find
from config.console.find import MOST_OF_A_KIND, Finder, Match
from config.reading import read_uuid
from notifications.admin import permissions
from notifications.admin.messages import search
from notifications.models import ApiCallError, ApiKey, BulkSend, Notification, Role, TeamMember, Template

_DIGITS = 7  # of the shortest phone number
MOST_LISTED = 10  # messages with the same reference, newest first


def _find(request: HttpRequest, term: str) -> list[Match]:
    services = list(permissions.services_of(request).values_list("pk", flat=True))
    return [
        *find.matches(request, _newest(search.with_reference(term) & Q(service__in=services))),
        *find.matches(request, _of_request(term, services)),
        *find.matches(request, _keys(term, services)),
    ]


def _of_request(term: str, services: list[UUID]) -> Iterable[Any]:
    """Return the messages and the bulk send of a request, and the key of a refused request."""
    identifier = read_uuid(term)
    if identifier is None:
        return []
    request_id = str(identifier)
    messages = _newest(search.with_request_id(request_id))
    bulk_sends = BulkSend.objects.filter(service__in=services, request_id=request_id)
    refused = ApiCallError.objects.filter(key__service__in=services, request_id=request_id).select_related("key")
    return [*messages, *bulk_sends[:1], *(error.key for error in refused[:1])]


def _newest(matching: Q) -> Iterable[Notification]:
    found = search.ids_of(Notification.objects.all(), [matching])
    return Notification.objects.filter(pk__in=found).order_by("-created_at", "-id")[:MOST_LISTED]


def _keys(term: str, services: list[UUID]) -> list[ApiKey]:
    """Return the keys whose text starts with `term`, or is `term`. A key is `{name}-{service id}-{secret}`."""
    names = list(accumulate(re.split("(?=-)", term)))  # "pay-live-0a…" → "pay", "pay-live", "pay-live-0a…"
    keys = ApiKey.objects.filter(service__in=services, name__in=names)
    return [key for key in keys if _is_of(key, term)]


def _is_of(key: ApiKey, term: str) -> bool:
    start = f"{key.name}-{key.service_id}"
    return start.startswith(term) or (term.startswith(start) and term.endswith(key.last4))


def _suggest(request: HttpRequest, term: str) -> list[Match]:
    mine = permissions.services_of(request)
    named = mine.filter(name__icontains=term).order_by("-active", "name")[:MOST_OF_A_KIND]
    switch = reverse("admin:switch_service")
    templates = Template.objects.filter(_has_words(term), service__in=mine, archived_at=None).distinct()
    people = TeamMember.objects.filter(
        Q(email_address__icontains=term) | Q(user__username__icontains=term) | Q(user__last_name__icontains=term),
        service__in=permissions.services_with(request, Role.MANAGE_SERVICE),
    )
    return [
        *_messages_of(request, term),
        *(Match("Service", one.name, f"{switch}?service={one.pk}", is_posted=True) for one in named),
        *find.matches(request, templates.order_by("name")[:MOST_OF_A_KIND]),
        *find.matches(request, people.order_by("email_address", "pk")[:MOST_OF_A_KIND]),
    ]


def _has_words(term: str) -> Q:
    is_published = Q(versions__number=F("current_version"))
    in_text = Q(versions__content__icontains=term) | Q(versions__subject__icontains=term)
    return Q(name__icontains=term) | (is_published & in_text)


def _messages_of(request: HttpRequest, term: str) -> Iterable[Match]:
    """Yield the search of the message log for a whole recipient, which stores the search, so it is not run here."""
    is_phone = sum(map(str.isdigit, term)) >= _DIGITS and not re.search(r"[^\d\s()+./-]", term)
    is_email = bool(re.fullmatch(r"\S+@\S+\.\w\w+", term))
    if (is_phone or is_email) and permissions.may(request, Role.SEE_RECIPIENTS):
        url = reverse("admin:notifications_notification_search")
        yield Match("Messages", f"Messages to {term}", url, is_posted=True)


FINDER = Finder(find=_find, suggest=_suggest)
