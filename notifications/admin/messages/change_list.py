"""The change list of the message log: keyset pages, search and counters.

Source: docs/reference/console.md §2.9.
"""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.http import HttpRequest
from django.utils.functional import cached_property

from config import formats
from config.console.admin.change_list import ConsoleChangeList
from notifications.admin import permissions
from notifications.admin.messages import counters, filters, paging, search, status_titles
from notifications.admin.messages.counters import StatusCounts
from notifications.admin.messages.paging import MOST_SERVICES, NEWER, OLDER
from notifications.admin.messages.search import SEARCH
from notifications.submission.templates import redaction

STATUS = filters.StatusFilter.parameter_name
# The columns that a page leaves out if all of its messages have no value there.
_MAY_BE_EMPTY = {"named": attrgetter("reference"), "took": attrgetter("completed_at")}


class MessageChangeList(ConsoleChangeList):
    """Page by key, and apply the search, which is not a filter of the panel."""

    page: paging.LogPage

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        self.request = request
        self.found = search.of(request)
        self.services = permissions.listed_services(request)
        super().__init__(request, *args)
        self.has_active_filters = self.has_active_filters or self.found is not None

    def get_filters_params(self, params: Any = None) -> Any:
        return {name: values for name, values in super().get_filters_params(params).items() if name != SEARCH}

    def get_filters(self, request: HttpRequest) -> Any:
        """Drop the page position: a changed filter starts at the first page."""
        for name in (OLDER, NEWER):
            self.filter_params.pop(name, None)
        return super().get_filters(request)

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        rows = super().get_queryset(request, *args, **kwargs)
        return rows.filter(self.found.matching) if self.found else rows

    def get_results(self, request: HttpRequest) -> None:
        try:
            below, above = paging.place(request.GET, OLDER), paging.place(request.GET, NEWER)
        except ValueError as error:
            raise IncorrectLookupParameters(error) from error
        whole = self.model_admin.get_queryset(request).select_related(*self.model_admin.list_select_related)
        chosen = request.GET.get(STATUS)
        finds_nothing = chosen and self.counted.have_none_of(filters.statuses(request.GET))
        parts = [] if finds_nothing else self._parts(self.queryset)
        self.page = paging.page(parts, whole, self.list_per_page, below=below, above=above)
        if not (below or above or self.page.older or chosen):
            self.counted = StatusCounts(found=Counter(message.status for message in self.page.messages))
        self.result_list = self.page.messages
        for message, text in zip(self.result_list, redaction.texts(self.result_list), strict=True):
            message.shown_text, message.shown_day = text, formats.heading(message.created_at)
        for name, value in _MAY_BE_EMPTY.items():
            if self.result_list and not any(map(value, self.result_list)):
                self.list_display = [column for column in self.list_display if column != name]
        self.result_count = self.full_result_count = len(self.result_list)
        self.show_full_result_count = self.can_show_all = self.multi_page = False

    @property
    def older_url(self) -> str:
        return self.get_query_string({OLDER: str(self.page.older)}) if self.page.older else ""

    @property
    def newer_url(self) -> str:
        return self.get_query_string({NEWER: str(self.page.newer)}) if self.page.newer else ""

    @cached_property
    def counted(self) -> StatusCounts:
        """Count the messages within all filters but the status. A page with all of them needs no further query."""
        rows = self.get_queryset(self.request, exclude_parameters=[STATUS])
        return counters.count(rows, self.request.GET, [] if self.found else self.services)

    @cached_property
    def counters(self) -> list[dict[str, Any]]:
        """Return the counters above the list. Each links to its filter."""
        titles = {"": "All", **{name: title for name, (title, _) in status_titles.GROUPS.items()}}
        numbers, is_capped = self.counted.groups(), self.counted.is_capped
        return [
            {
                "title": title,
                "shown": formats.number(numbers[name]) + ("+" if is_capped else ""),
                "is_capped": is_capped,
                "url": self.get_query_string({STATUS: name} if name else {}, [STATUS]),
                "is_chosen": name == (self.request.GET.get(STATUS) or ""),
            }
            for name, title in titles.items()
        ]

    def _parts(self, rows: Any) -> Sequence[Any]:
        """Return one queryset for each service, so that each reads its index. A search needs one only."""
        if self.found or not 0 < len(self.services) <= MOST_SERVICES:
            return [rows]
        return [rows.filter(service=service, created_at__gte=service.kept_since()) for service in self.services]
