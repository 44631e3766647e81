"""Suppressions as a streamed CSV file. Each download is audited in every service concerned."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from config import audit, formats
from config.audit.masking import mask
from config.databases import replica
from config.databases.streaming import streamed
from config.spreadsheets import csv_line
from notifications.admin.suppressions.forms import WHOLE_INSTALLATION
from notifications.models import Suppression

HEADER = (
    *("Recipient", "Channel", "Suppressed because", "Source", "Reason", "Message id", "Service"),
    *("Since (UTC)", "Added by", "Until (UTC)", "Lifted at (UTC)", "Lifted by", "Why lifted"),
)
_COLUMNS = (
    *("recipient", "is_shown_whole", "channel", "reason", "source", "note", "notification_id", "service__name"),
    *("created_at", "created_by", "expires_at", "lifted_at", "lifted_by", "lift_reason"),
)
_ROWS_AT_ONCE = 500


def context(request: HttpRequest, found: Any) -> dict[str, Any]:
    """Return the context of the page that asks for confirmation. found: as in `stream`"""
    number = found.order_by().count()
    named = formats.counted(number, "suppression")
    within = " within the filters of the list" if request.GET else ""
    masked = "Some recipients are masked, because you do not have the role “See recipients” in their service."
    return {
        "explanation": [
            f"The CSV file has {named}{within}.",
            *([masked] if found.filter(is_shown_whole=False).exists() else []),
            "The download is recorded in the audit.",
        ],
        "error": "" if number else f"There are no suppressions{within}.",
        "button": f"Download {named}",
    }


def stream(found: QuerySet[Suppression]) -> StreamingHttpResponse:
    """Return the file. found: annotated by `permissions.with_sight`, which decides which recipients are masked."""
    disposition = f'attachment; filename="suppressions-{timezone.localdate():%Y-%m-%d}.csv"'
    headers = {"Content-Disposition": disposition, "Cache-Control": "no-store"}
    return StreamingHttpResponse(
        replica.read_from(_lines(found)), content_type="text/csv; charset=utf-8", headers=headers
    )


def note(request: HttpRequest, found: QuerySet[Suppression]) -> None:
    """Audit the download in each service, with the number of its suppressions."""
    counted = found.order_by().values_list("service_id", "service__name").annotate(number=Count("pk"))
    with transaction.atomic():
        for service_id, name, number in counted:
            about = {"object_kind": "service", "object_id": service_id, "service_id": service_id}
            everywhere = {"object_kind": "installation", "object_id": "all"}
            audit.record(
                audit.person(request),
                "downloaded_suppressions",
                after={"suppressions": number, **({"name": name} if service_id else {})},
                **(about if service_id else everywhere),
            )


def _lines(found: QuerySet[Suppression]) -> Iterator[bytes]:
    rows = streamed(found.values_list(*_COLUMNS, named=True), chunk_size=_ROWS_AT_ONCE)
    for cells in chain([HEADER], map(_cells, rows)):
        yield csv_line(cells).encode()


def _cells(row: Any) -> Iterable[str]:  # Any: a named tuple of the columns
    return (
        row.recipient if row.is_shown_whole else mask(row.recipient),
        row.channel,
        row.reason,
        row.source,
        row.note,
        str(row.notification_id or ""),
        row.service__name or WHOLE_INSTALLATION,
        _moment(row.created_at),
        row.created_by,
        _moment(row.expires_at),
        _moment(row.lifted_at),
        row.lifted_by,
        row.lift_reason,
    )


def _moment(at: datetime | None) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if at else ""
