"""Unsubscribe requests as a streamed CSV file. Each download is audited in every service concerned."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from config import audit
from config.audit.masking import mask
from config.databases import replica
from config.databases.streaming import streamed
from config.spreadsheets import csv_line
from notifications.models import UnsubscribeRequest

HEADER = (
    *("Requested at (UTC)", "Email address", "Service", "Template", "Template id", "Email sent at (UTC)", "Message id"),
    *("Done at (UTC)", "Done by"),
)
_COLUMNS = (
    *("created_at", "recipient", "is_shown_whole", "service__name", "template__name", "template_id"),
    *("email_created_at", "notification_id", "done_at", "done_by"),
)
_ROWS_AT_ONCE = 500


def stream(requests: QuerySet[UnsubscribeRequest]) -> StreamingHttpResponse:
    """Return the file. requests: annotated by `permissions.with_sight`, which decides which recipients are masked."""
    disposition = f'attachment; filename="unsubscribe-requests-{timezone.localdate():%Y-%m-%d}.csv"'
    headers = {"Content-Disposition": disposition, "Cache-Control": "no-store"}
    return StreamingHttpResponse(
        replica.read_from(_lines(requests)), content_type="text/csv; charset=utf-8", headers=headers
    )


def note(request: HttpRequest, requests: QuerySet[UnsubscribeRequest]) -> None:
    """Audit the download in each service, with the number of its requests."""
    counted = requests.order_by().values_list("service_id", "service__name").annotate(number=Count("pk"))
    with transaction.atomic():
        for service_id, name, number in counted:
            audit.record(
                audit.person(request),
                "downloaded_unsubscribe_requests",
                object_kind="service",
                object_id=service_id,
                service_id=service_id,
                after={"name": name, "requests": number},
            )


def _lines(requests: QuerySet[UnsubscribeRequest]) -> Iterator[bytes]:
    rows = streamed(requests.values_list(*_COLUMNS, named=True), chunk_size=_ROWS_AT_ONCE)
    for cells in chain([HEADER], map(_cells, rows)):
        yield csv_line(cells).encode()


def _cells(row: Any) -> Iterable[str]:  # Any: a named tuple of the columns
    return (
        _moment(row.created_at),
        row.recipient if row.is_shown_whole else mask(row.recipient),
        row.service__name,
        row.template__name,
        str(row.template_id),
        _moment(row.email_created_at),
        str(row.notification_id),
        _moment(row.done_at) if row.done_at else "",
        row.done_by,
    )


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
