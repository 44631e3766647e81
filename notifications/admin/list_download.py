"""Download the rows of a list as a CSV file: within its filters, masked by role, and audited in every service."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any, ClassVar

from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, Expression, QuerySet
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from config import audit, formats
from config.audit.masking import mask
from config.console import recent_sign_in
from config.console.admin.row_actions import Button
from config.console.pages import file_response
from config.databases import replica
from config.databases.streaming import streamed
from config.spreadsheets import csv_line
from notifications.admin import permissions
from notifications.admin.service_rows import ServiceRowAdmin, kept

_ROWS_AT_ONCE = 500
_MASKED = "Some recipients are masked, because you do not have the role “See recipients” in their service."


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDownload:
    """What is downloaded. The rows of the list are annotated by `permissions.with_sight`.

    noun: of one row, such as `unsubscribe request`
    columns: the column of the database or the expression for each column of the file
    recipient: the one of them that is masked
    further: return other cells for some columns, by their names in the file
    most_at_once: a job writes a file with more rows
    start, of_job: starts that job for a number of rows; a sentence about it
    """

    noun: str
    audit_verb: str
    columns: Mapping[str, str | Expression]
    recipient: str
    further: Callable[[Any], dict[str, str]] = lambda row: {}  # Any: a named tuple of the columns
    most_at_once: int | None = None
    start: Callable[[HttpRequest, int], HttpResponseBase] | None = None
    of_job: str = ""

    @property
    def plural(self) -> str:
        return f"{self.noun}s"

    def answer(self, model_admin: "DownloadAdmin", request: HttpRequest) -> HttpResponseBase:
        """Show the number of rows within the list's filters, and stream them when the person confirms."""
        if not model_admin.has_view_permission(request):
            raise PermissionDenied
        if not recent_sign_in.is_recent(request):
            return recent_sign_in.ask(request)
        try:
            listed = model_admin.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect(model_admin.list_url())
        found = model_admin.downloaded(request, listed)
        number = found.order_by().count()
        is_job = self.most_at_once is not None and number > self.most_at_once
        if request.method == "POST":
            self._audit(request, found)
            return self.start(request, number) if is_job and self.start else self._stream(found)
        named = formats.counted(number, self.noun)
        within = " within the filters of the list" if request.GET else ""
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        context = {
            **model_admin.page_context(request, f"Download {self.plural}"),
            "explanation": [
                f"The CSV file has {named}{within}.",
                *([_MASKED] if found.filter(is_shown_whole=False).exists() else []),
                *([self.of_job] if is_job else []),
                "The download is recorded in the audit.",
            ],
            "job_id": uuid.uuid4() if is_job else "",
            "error": "" if number else f"There are no {self.plural}{within}.",
            "button": f"Download {named}",
            "list_url": f"{model_admin.list_url()}{query}",
        }
        return TemplateResponse(request, "admin/action.html", context)

    def _stream(self, found: QuerySet[Any]) -> StreamingHttpResponse:
        name = f"{self.plural.replace(' ', '-')}-{timezone.localdate():%Y-%m-%d}.csv"
        return file_response(name, replica.read_from(self._lines(found)))

    def _lines(self, found: QuerySet[Any]) -> Iterator[bytes]:
        rows = streamed(self.rows(found), chunk_size=_ROWS_AT_ONCE)
        for cells in chain([self.columns], map(self.cells, rows)):
            yield csv_line(cells).encode()

    def rows(self, found: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of which `cells` makes the lines of the file."""
        return found.values_list(*self._read, named=True)

    def cells(self, row: Any) -> list[str]:
        """Return the cells of a row, a named tuple."""
        stored = dict(zip(self._read, row, strict=True))
        if not row.is_shown_whole:
            stored[self.recipient] = mask(stored[self.recipient])
        own = self.further(row)
        return [own[title] if title in own else _text(stored[name]) for title, name in self.columns.items()]

    @property
    def _read(self) -> dict[str | Expression, None]:
        return dict.fromkeys([*self.columns.values(), "is_shown_whole"])

    def _audit(self, request: HttpRequest, found: QuerySet[Any]) -> None:
        """Audit the download in each service, with the number of its rows, and for rows of the whole installation."""
        counted = found.order_by().values_list("service_id", "service__name").annotate(number=Count("pk"))
        with transaction.atomic():
            for service_id, name, number in counted:
                about = {"object_kind": "service", "object_id": service_id, "service_id": service_id}
                everywhere = {"object_kind": "installation", "object_id": "all"}
                audit.record(
                    audit.person(request),
                    self.audit_verb,
                    after={**({"name": name} if service_id else {}), self.plural.rpartition(" ")[2]: number},
                    **(about if service_id else everywhere),
                )


class DownloadAdmin(ServiceRowAdmin):
    """An admin whose list has the download."""

    list_download: ClassVar[ListDownload]
    list_pages = {"download": "download"}

    def list_buttons(self, request: HttpRequest, changelist: Any) -> list[Button]:
        buttons = super().list_buttons(request, changelist)
        if changelist.result_count:
            url = f"{self.url_of('download')}{changelist.get_query_string()}"
            buttons.append(Button("Download CSV…", url=url))
        return buttons

    def download(self, request: HttpRequest) -> HttpResponseBase:
        return self.list_download.answer(self, request)

    def downloaded(self, request: HttpRequest, found: Any) -> Any:
        """Return the rows of the file. found: the rows of the list within its filters"""
        return found


class RetainedRowAdmin(DownloadAdmin):
    """Admin of rows that are hidden after the retention of their service, even if clean-up has not deleted them yet."""

    def listed(self, request: HttpRequest, rows: Any) -> Any:
        chosen = permissions.chosen_service(request)
        return super().listed(request, rows).filter(created_at__gte=chosen.kept_since()) if chosen else rows

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = super().get_object(request, object_id, from_field)
        return None if row is None or row.created_at < row.service.kept_since() else row

    def downloaded(self, request: HttpRequest, found: Any) -> Any:
        return super().downloaded(request, found).filter(kept(permissions.listed_services(request)))


def _text(value: object) -> str:
    return moment(value) if isinstance(value, datetime) else "" if value is None else str(value)


def moment(at: datetime | None) -> str:
    """Return a cell with a time in UTC, blank for None."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if at else ""
