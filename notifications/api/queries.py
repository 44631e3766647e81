"""Filter and page the lists by key.

Source: docs/reference/sending-api.md §17.2 to §17.4.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, Q, QuerySet
from django.http import QueryDict

from config.databases import keyset
from notifications import errors
from notifications.api.fields import parse_uuid
from notifications.api.records import NOTIFICATION_COLUMNS
from notifications.models import Channel, Notification, ReceivedText, Service, Status, UnsubscribeRequest
from notifications.models.status import FAILURES

PAGE_SIZE = 250
TYPES = ("sms", "email", "letter")
GROUPS: Mapping[str, frozenset[Status]] = {
    "failed": FAILURES,
    "accepted": frozenset({Status.CREATED, Status.SENDING}),
    "received": frozenset({Status.DELIVERED}),
}
# Every status of GOV.UK Notify. Those that are not a Status here match no message.
STATUSES = (
    *("cancelled", "created", "sending", "sent", "delivered", "pending", "failed", "technical-failure"),
    *("temporary-failure", "permanent-failure", "pending-virus-check", "validation-failed", "virus-scan-failed"),
    *("returned-letter", "accepted", "received"),
)

Check = Callable[[str, str], None]
Row = TypeVar("Row", bound=Model)
Rows = QuerySet[Any, Any]  # Any: model instances or tuples


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysetPage:
    """A page of rows in the order of the list.

    current: the query string of this page
    next: the query string of the next page, or None if this page is empty
    """

    rows: Sequence[Any]  # Any: rows of either list
    current: str
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The order of a list: by a column of moments, then by id."""

    moment: str
    is_ascending: bool = False

    @property
    def columns(self) -> tuple[str, str]:
        sign = "" if self.is_ascending else "-"
        return f"{sign}{self.moment}", f"{sign}pk"

    def after(self, moment: datetime, key: object) -> Q:
        """Match the rows after the row with this moment and id."""
        match = keyset.above if self.is_ascending else keyset.below
        return match(moment, key, fields=(self.moment, "pk"))


NEWEST_FIRST = Order(moment="created_at")
SOONEST_FIRST = Order(moment="next_attempt_at", is_ascending=True)


def one_of(*allowed: str) -> Check:
    def check(name: str, value: str) -> None:
        if value not in allowed:
            raise errors.NotOneOf(name=name, value=value.replace("'", ""), allowed=", ".join(allowed))

    return check


def uuid(name: str, value: str) -> None:
    if parse_uuid(value) is None:
        raise errors.NotAUuid(name=name)


NOTIFICATION_FILTERS: Mapping[str, Check] = {
    "template_type": one_of(*TYPES),
    "status": one_of(*STATUSES),
    "reference": lambda name, value: None,  # any text
    "older_than": uuid,
    "include_jobs": one_of("true", "True"),
}
SEND_PARAMETERS: Mapping[str, Check] = {"dry_run": one_of("true", "false")}
TEMPLATE_FILTERS: Mapping[str, Check] = {"type": one_of(*TYPES)}
RECEIVED_TEXT_FILTERS: Mapping[str, Check] = {"older_than": uuid}
UNSUBSCRIBE_REQUEST_FILTERS = RECEIVED_TEXT_FILTERS


def check(query: QueryDict, filters: Mapping[str, Check]) -> None:
    """Raise InvalidRequest with one error for each invalid value, then one for unknown parameters."""
    found: list[errors.NotificationError] = []
    for name, is_good in filters.items():
        for value in query.getlist(name):
            try:
                is_good(name, value)
            except errors.ValidationError as error:
                found.append(error)
    if unknown := query.keys() - filters.keys():
        found.append(errors.PropertiesUnexpected(names=unknown))
    if found:
        raise errors.InvalidRequest(found)


def notifications(service: Service, key_type: str, query: QueryDict) -> KeysetPage:
    """Return a page of the messages sent with keys of one type, within retention."""
    rows = Notification.objects.filter(service=service, key_type=key_type, created_at__gte=service.kept_since())
    # Tuples, because creating model instances took longer than all the rest.
    records = rows.filter(*_matching(query)).values_list(*NOTIFICATION_COLUMNS, named=True)
    return page_of(records, query, anchors=Notification.objects.filter(service=service), keeps_place=True)


def scheduled_notifications(service: Service, key_type: str, query: QueryDict) -> KeysetPage:
    """Return a page of the scheduled messages of keys of one type, soonest first."""
    rows = Notification.objects.scheduled().filter(service=service, key_type=key_type)
    records = rows.filter(*_matching(query)).values_list(*NOTIFICATION_COLUMNS, named=True)
    anchors = Notification.objects.filter(service=service)
    return page_of(records, query, anchors=anchors, keeps_place=True, order=SOONEST_FIRST)


def received_texts(service: Service, query: QueryDict) -> KeysetPage:
    rows = ReceivedText.objects.filter(service=service, created_at__gte=service.kept_since())
    return page_of(rows, query, anchors=ReceivedText.objects.filter(service=service), keeps_place=False)


def unsubscribe_requests(service: Service, query: QueryDict) -> KeysetPage:
    """Return a page of the unsubscribe requests of a service, done requests included."""
    rows = UnsubscribeRequest.objects.filter(service=service)
    return page_of(rows, query, anchors=rows, keeps_place=False)


def _matching(query: QueryDict) -> list[Q]:
    conditions = []
    if types := query.getlist("template_type"):
        conditions.append(Q(channel__in=[kind for kind in types if kind in Channel.values]))
    if words := query.getlist("status"):
        wanted = {status for word in words for status in GROUPS.get(word, frozenset({word}) & set(Status.values))}
        conditions.append(Q(status__in=sorted(wanted)))
    if (reference := query.get("reference")) is not None:
        conditions.append(Q(pk__in=[]) if "\0" in reference else Q(reference=reference))
    if "include_jobs" not in query:
        conditions.append(Q(bulk_row=None))
    return conditions


def page_of(
    rows: Rows, query: QueryDict, *, anchors: QuerySet[Row], keeps_place: bool, order: Order = NEWEST_FIRST
) -> KeysetPage:
    """Return the page strictly after the row `older_than` in the order of the list. Equal times lose no row."""
    if (older_than := query.get("older_than")) is not None:
        anchor = anchors.filter(pk=parse_uuid(older_than)).values_list(order.moment, "pk").first()
        rows = rows.filter(order.after(*anchor)) if anchor else rows.none()
    page = list(rows.order_by(*order.columns)[:PAGE_SIZE])
    filters = [(name, value) for name, values in query.lists() for value in values]
    others = [(name, value) for name, value in filters if name != "older_than"]
    return KeysetPage(
        rows=page,
        current=urlencode(filters if keeps_place else others),
        next=urlencode([("older_than", str(page[-1].id)), *others]) if page else None,
    )
