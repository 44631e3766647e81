"""The page Reports, and its tables as CSV files. Source: docs/reference/console.md §3.13."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone

from config import areas, formats
from config.console import pages
from config.console.downloads import file_response
from config.console.pages import OwnPages, View
from config.data_sets import DataSets
from config.spreadsheets import csv_line
from config.statistics import GROUP
from notifications.admin import permissions
from notifications.admin.statistics import hours, tables
from notifications.admin.statistics.tables import StatisticsTable
from notifications.jobs.message_records import MESSAGES
from notifications.models import Role

_ROWS_SHOWN = 50
HOURS = "hours"  # the name of the file with all counts
_DATA_SET = f"{GROUP}/{MESSAGES.type}"


def may_open(request: HttpRequest) -> bool:
    return permissions.may(request, Role.SEE_ACTIVITY, Role.MANAGE_SERVICE)


def statistics(request: HttpRequest) -> HttpResponse:
    """Show the tables of the chosen service, or of all services if an operator has chosen none."""
    if not may_open(request):
        raise PermissionDenied
    found = tables.of_services(permissions.listed_services(request))
    shown = [{"table": table, "rows": list(_rows(table))} for table in found]
    return pages.show(
        request, "admin/notifications/statistics.html", "Reports", tables=shown, hours=HOURS, data_set=_data_set()
    )


def _data_set() -> str:
    """Return a sentence on the data set with the same figures."""
    if not areas.parts(DataSets):
        return "The data set API is switched off, so no data set has these figures."
    return f"The data set {_DATA_SET} has the same figures for all services."


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
    if not may_open(request):
        raise PermissionDenied
    if slug == HOURS:
        return file_response(_file_name(slug), map(csv_line, hours.rows(permissions.listed_services(request))))
    found = tables.of_services(permissions.listed_services(request))
    table = next((table for table in found if table.slug == slug), None)
    if table is None:
        raise Http404
    return file_response(_file_name(slug), map(csv_line, [table.header, *table.rows]))


def _file_name(slug: str) -> str:
    return f"{slug}-{timezone.localdate():%Y-%m-%d}.csv"


def _urls(signed_in: Callable[[View], View]) -> list[URLPattern]:
    return [
        path("notifications/statistics/", signed_in(statistics), name="notifications_service_statistics"),
        path("notifications/statistics/<slug:slug>.csv", signed_in(download), name="statistics_download"),
    ]


PAGES = OwnPages(urls=_urls)
