"""Search by POST: the term is stored encrypted under a random id, and the result's URL holds only that id.

Indexes find whole recipients, references, message ids and request ids. A part of a recipient is searched for
in the chosen days only, by default the last seven. Source: docs/reference/console.md §1.2 T1, §2.9.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from config import mailboxes
from config.accounts.saved_search import SavedSearch
from config.encryption import DecryptionFailed
from config.reading import read_uuid
from notifications.admin import permissions, saved_searches
from notifications.admin.messages import days
from notifications.models import ApiCallError, ApiKey, Notification, Role, Template
from notifications.recipients import normalise

KIND = "messages"
SEARCH = "search"  # the parameter of the URL
SHORTEST_PART = 4
MOST_FOUND = 1000  # messages of one recipient or reference, newest first
NOTHING = Q(pk__in=[])

EXPIRED = "This search has expired."
NO_RECIPIENTS = (
    "You can search by reference, message ID and request ID. To search by recipient you need the role See recipients."
)
REFUSED = "The API refused this request, so there is no message."
OF_LAST_DAYS = (
    f"No message has exactly this recipient, reference or ID. These are the messages of the last {days.WEEK_DAYS} days "
    "with it as part of the recipient. Choose dates to search other days."
)
TOO_SHORT = f"No message has exactly this. To search for part of a recipient, enter {SHORTEST_PART} or more characters."

_WORD = re.compile(r"(?:^|\s)(to|ref|template|key):", re.IGNORECASE)
_NUMBER = re.compile(r"[\d\s()+./-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of a search.

    term: the entered text; matching: the condition on the log's rows; note: a remark above the list
    key: the API key of the refused call with this request id
    """

    term: str = ""
    matching: Q = NOTHING
    note: str = ""
    key: ApiKey | None = None


def of(request: HttpRequest) -> Found | None:
    """Return the result of the search in the URL, or None."""
    identifier = request.GET.get(SEARCH)
    if identifier is None:
        return None
    saved = saved_searches.find(request, KIND, identifier)
    return _look(request, saved) if saved else Found(note=EXPIRED)


def parse(term: str) -> dict[str, str]:
    """Split a term into its `word:` parts. The text before the first has the name "".

    >>> parse("07700 900123 template: Tide table")
    {'': '07700 900123', 'template': 'Tide table'}
    """
    free, *rest = _WORD.split(term)
    named = {word.lower(): value.strip() for word, value in zip(rest[::2], rest[1::2], strict=True)}
    return {name: value for name, value in {"": free.strip(), **named}.items() if value}


def parts_of_recipient(text: str) -> set[str]:
    """Return the forms in which a part of a recipient may be stored. Stored UK numbers begin with 44.

    >>> sorted(parts_of_recipient("07700 900")), parts_of_recipient("Fern@Quay")
    (['07700900', '7700900'], {'fern@quay'})
    """
    if _NUMBER.fullmatch(text):
        digits = re.sub(r"\D", "", text)
        return {digits, digits.removeprefix("0")}
    return {text.lower(), mailboxes.key_of(text)}


def _look(request: HttpRequest, saved: SavedSearch) -> Found:
    try:
        term = saved.term
    except DecryptionFailed:
        return Found(note=EXPIRED)
    parts = parse(term)
    may_see = permissions.may(request, Role.SEE_RECIPIENTS)
    if "to" in parts and not may_see:
        return Found(term=term, note=NO_RECIPIENTS)
    services = (
        [saved.service_id] if saved.service_id else list(permissions.services_of(request).values_list("pk", flat=True))
    )
    rows = Notification.objects.filter(service__in=services)
    narrowed = _narrowed(parts, services)
    if text := parts.get("ref"):
        narrowed &= Q(pk__in=ids_of(rows, [with_reference(text)]))
    typed = parts.get("to") or parts.get("")
    if not typed:
        return Found(term=term, matching=narrowed)
    if ids := ids_of(rows, _ways(parts, may_see=may_see)):
        return Found(term=term, matching=Q(pk__in=ids) & narrowed)
    if call_error := _call_error(parts.get("", ""), services):
        return Found(term=term, note=REFUSED, key=call_error.key)
    if _NUMBER.fullmatch(typed) and may_see and normalise(typed) != typed:
        return Found(term=term)  # a whole number is no part of another, and a search for parts reads all messages
    return _by_part(request, term, typed, narrowed, may_see)


def with_reference(text: str) -> Q:
    """Match the messages with this reference. SQLite uses the partial index only if its condition is in the query."""
    return ~Q(reference=None) & Q(reference=text)


def with_request_id(text: str) -> Q:
    """Match the messages of this request, in the same way."""
    return ~Q(request_id="") & Q(request_id=text)


def _ways(parts: Mapping[str, str], *, may_see: bool) -> list[Q]:
    """Return one condition for each index. They run one by one: no index serves two of them at once."""
    if text := parts.get("to"):
        return [Q(normalised_recipient=normalise(text))]
    text = parts[""]
    identifier = read_uuid(text)
    by_recipient = [Q(normalised_recipient=normalise(text))] if may_see else []
    by_id = [Q(pk=identifier), with_request_id(str(identifier))] if identifier else []
    return [*by_recipient, with_reference(text), *by_id]


def _call_error(text: str, services: list[UUID]) -> ApiCallError | None:
    """Return the refused call with this request id. Only the newest few of each key are stored."""
    identifier = read_uuid(text)
    if identifier is None:
        return None
    call_errors = ApiCallError.objects.select_related("key").filter(key__service__in=services)
    return call_errors.filter(request_id=str(identifier)).first()


def ids_of(rows: QuerySet[Notification], ways: list[Q]) -> list[UUID]:
    """Return ids of the messages that match one of these conditions. Unsorted: else the index of the order is read."""
    return [pk for way in ways for pk in rows.filter(way).order_by().values_list("pk", flat=True)[:MOST_FOUND]]


def _by_part(request: HttpRequest, term: str, typed: str, narrowed: Q, may_see: bool) -> Found:
    if not may_see:
        return Found(term=term, note=NO_RECIPIENTS)
    parts = parts_of_recipient(typed)
    if max(map(len, parts)) < SHORTEST_PART:
        return Found(term=term, note=TOO_SHORT)
    matching = reduce(or_, (Q(normalised_recipient__contains=part) for part in sorted(parts))) & narrowed
    if any(days.chosen(request.GET.get(days.PARAMETER, ""))):
        return Found(term=term, matching=matching)
    lately = Q(created_at__gte=days.beginning(days.first_of_last(days.WEEK_DAYS)))
    return Found(term=term, matching=matching & lately, note=OF_LAST_DAYS)


def _narrowed(parts: Mapping[str, str], services: list[UUID]) -> Q:
    narrowed = Q()
    if name := parts.get("template"):
        templates = Template.objects.filter(_named(name), service__in=services)
        narrowed &= Q(template__in=list(templates.values_list("pk", flat=True)))
    if name := parts.get("key"):
        keys = ApiKey.objects.filter(_named(name), service__in=services)
        narrowed &= Q(api_key__in=list(keys.values_list("pk", flat=True)))
    return narrowed


def _named(text: str) -> Q:
    identifier = read_uuid(text)
    return Q(pk=identifier) if identifier else Q(name__iexact=text)
