"""The page Reports, and its tables as CSV files. Source: docs/reference/console.md §3.13."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from config import areas, formats
from config.console import pages
from config.console.pages import OwnPages, file_response
from config.data_sets import DataSets
from config.databases.streaming import streamed
from config.spreadsheets import csv_line
from config.statistics import GROUP
from notifications.admin import permissions
from notifications.admin.limits.page import may_open
from notifications.admin.statistics import tables
from notifications.admin.statistics.tables import StatisticsTable
from notifications.jobs import message_records
from notifications.jobs.message_records import MESSAGES
from notifications.models import HourlyCount, Service

_ROWS_SHOWN = 50
HOURS = "hours"  # the name of the file with all counts
_HOURS_AT_ONCE = 1000
_HOURS_HEADER = (
    *("hour", "service", "service_id", "channel", "template", "template_id", "key_type", "status", "provider"),
    *("count", "parts", "cost", "seconds_p50", "seconds_p95"),
)
_DATA_SET = f"{GROUP}/{MESSAGES.type}"


def statistics(request: HttpRequest) -> HttpResponse:
    """Show the tables of the chosen service, or of all services if an operator has chosen none."""
    found = tables.of_services(permissions.listed_services(request))
    shown = [{"table": table, "rows": list(_rows(table))} for table in found]
    return pages.show(
        request,
        "admin/notifications/statistics.html",
        "Reports",
        tables=shown,
        hours=HOURS,
        data_set=areas.parts(DataSets) and _DATA_SET,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCell:
    """A cell. title: of its column, which narrow screens show beside it; url: of the messages that it counts"""

    title: str
    text: object
    is_number: bool
    url: str = ""


def _rows(table: StatisticsTable) -> Iterator[list[ShownCell]]:
    first_number = len(table.header) - table.number_columns
    for row, url in zip_longest(table.rows[:_ROWS_SHOWN], table.urls[:_ROWS_SHOWN], fillvalue=""):
        cells = [
            ShownCell(title=title, text=_text(title, cell), is_number=place >= first_number)
            for place, (title, cell) in enumerate(zip(table.header, row, strict=True))
        ]
        yield [*cells[:-1], replace(cells[-1], url=url)]


def _text(title: str, cell: object) -> object:
    if title == tables.MONTH:
        return formats.month(str(cell))
    if title == tables.COST:
        return formats.money(float(str(cell)))
    return formats.number(cell) if isinstance(cell, int) else cell


def download(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Return all rows of one table as a CSV file. It has no recipients."""
    if slug == HOURS:
        return file_response(_file_name(slug), map(csv_line, _hours(permissions.listed_services(request))))
    found = tables.of_services(permissions.listed_services(request))
    table = next((table for table in found if table.slug == slug), None)
    if table is None:
        raise Http404
    return file_response(_file_name(slug), map(csv_line, [table.header, *table.rows]))


def _hours(services: Sequence[Service]) -> Iterator[Sequence[object]]:
    """Yield the header and a row for each count, the newest day first. Source: docs/reference/statistics.md §3, §5."""
    yield _HOURS_HEADER
    counts = HourlyCount.objects.filter(service__in=services, n__gt=0).select_related("service", "template")
    for row in streamed(counts.order_by("-day", "-hour", "id"), chunk_size=_HOURS_AT_ONCE):
        found = {"hour": f"{message_records.hour_of(row):%Y-%m-%dT%H:%MZ}", **message_records.fields_of(row)}
        yield ["" if found[name] is None else found[name] for name in _HOURS_HEADER]


def _file_name(slug: str) -> str:
    return f"{slug}-{timezone.localdate():%Y-%m-%d}.csv"


PAGES = OwnPages(
    pages=(
        ("notifications/statistics/", statistics, "notifications_service_statistics"),
        ("notifications/statistics/<slug:slug>.csv", download, "statistics_download"),
    ),
    is_open_to=may_open,
)
