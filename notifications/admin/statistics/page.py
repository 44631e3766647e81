"""The page Reports, and its tables as CSV files. Source: docs/reference/console.md §3.13."""

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone

from config import formats
from config.console import pages
from config.console.downloads import file_response
from config.console.pages import OwnPages, View
from config.spreadsheets import csv_line
from notifications.admin import permissions
from notifications.admin.statistics import tables
from notifications.admin.statistics.tables import StatisticsTable
from notifications.models import Role

_ROWS_SHOWN = 50


def may_open(request: HttpRequest) -> bool:
    return permissions.may(request, Role.SEE_ACTIVITY, Role.MANAGE_SERVICE)


def statistics(request: HttpRequest) -> HttpResponse:
    """Show the tables of the chosen service, or of all services if an operator has chosen none."""
    if not may_open(request):
        raise PermissionDenied
    found = tables.of_services(permissions.listed_services(request))
    shown = [{"table": table, "rows": [_shown(table, row) for row in table.rows[:_ROWS_SHOWN]]} for table in found]
    return pages.show(request, "admin/notifications/statistics.html", "Reports", tables=shown)


def _shown(table: StatisticsTable, row: tuple[object, ...]) -> list[tuple[str, object]]:
    """Return each cell with the title of its column, which narrow screens show beside it."""
    cells = (formats.number(cell) if isinstance(cell, int) else cell for cell in row)
    return list(zip(table.header, cells, strict=True))


def download(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Return all rows of one table as a CSV file. It has no recipients."""
    if not may_open(request):
        raise PermissionDenied
    found = tables.of_services(permissions.listed_services(request))
    table = next((table for table in found if table.slug == slug), None)
    if table is None:
        raise Http404
    name = f"{slug}-{timezone.localdate():%Y-%m-%d}.csv"
    return file_response(name, map(csv_line, [table.header, *table.rows]))


def _urls(signed_in: Callable[[View], View]) -> list[URLPattern]:
    return [
        path("notifications/statistics/", signed_in(statistics), name="notifications_service_statistics"),
        path("notifications/statistics/<slug:slug>.csv", signed_in(download), name="statistics_download"),
    ]


PAGES = OwnPages(urls=_urls)
