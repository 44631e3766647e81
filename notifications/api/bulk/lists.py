"""The lists of bulk sends and of their rows. Source: docs/reference/bulk-sending.md §8."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.http import QueryDict
from rest_framework import serializers

from notifications import errors
from notifications.api.bulk.serializers import ROW_STATES, STATES, BulkSendData, RowSerializer
from notifications.api.lists import PageLinks, one_object
from notifications.api.queries import PAGE_SIZE, Check, KeysetPage, one_of, page_of, uuid
from notifications.models import BulkRow, BulkSend, Service

ROWS_A_PAGE = 1_000
_MAX_NUMBER_DIGITS = 9  # fits the integer column


def _row_number(name: str, value: str) -> None:
    if not (value.isascii() and value.isdecimal() and len(value) <= _MAX_NUMBER_DIGITS):
        raise errors.WrongType(name=name, value=errors.shown(value), type="integer")


FILTERS: Mapping[str, Check] = {"job_status": one_of(*STATES), "older_than": uuid}
ROW_FILTERS: Mapping[str, Check] = {"state": one_of(*ROW_STATES), "after": _row_number}


@one_object
class BulkSendsSerializer(serializers.Serializer[KeysetPage]):
    bulk_sends = BulkSendData(many=True, source="rows", help_text=f"Newest first, at most {PAGE_SIZE}.")
    links = PageLinks(source="*")


@one_object
class BulkRowsSerializer(serializers.Serializer[KeysetPage]):
    rows = RowSerializer(many=True, help_text=f"In the order of the table, at most {ROWS_A_PAGE}.")
    links = PageLinks(source="*")


def bulk_sends(service: Service, key_type: str, query: QueryDict) -> KeysetPage:
    """Return a page of the bulk sends that keys of a type may read."""
    visible = BulkSend.objects.visible(service.id, key_type)
    rows = visible.select_related("api_key")
    if states := query.getlist("job_status"):
        rows = rows.filter(state__in=states)
    return page_of(rows, query, anchors=visible, keeps_place=True)


def rows(bulk_send: BulkSend, query: QueryDict) -> KeysetPage:
    """Return a page of the rows of a bulk send, in the order of the table."""
    found = BulkRow.objects.filter(bulk_send=bulk_send).order_by("number")
    if states := query.getlist("state"):
        found = found.filter(state__in=states)
    if after := query.get("after"):
        found = found.filter(number__gt=int(after))
    columns = ("number", "state", "recipient", "reference", "notifications__id", "notifications__status")
    page = list(found.values(*columns)[:ROWS_A_PAGE])
    filters = [(name, value) for name, values in query.lists() for value in values]
    others = [(name, value) for name, value in filters if name != "after"]
    return KeysetPage(
        rows=page,
        current=urlencode(filters),
        next=urlencode([("after", str(page[-1]["number"])), *others]) if page else None,
    )
