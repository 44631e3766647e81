"""The change list and the paginator of every console list."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from config.console.theme import ChangeList

MAX_COUNTED = 10_000  # docs/reference/console.md §1.2 T5: "more than 10,000"


class CappedPaginator(Paginator):  # type: ignore[type-arg]  # Django's takes no parameter at run time
    """Count at most MAX_COUNTED rows, because `count(*)` over millions of rows is slow (trap T5)."""

    @cached_property
    def count(self) -> int:
        """Return how many rows there are, at most MAX_COUNTED."""
        return min(self._counted, MAX_COUNTED)

    @property
    def is_capped(self) -> bool:
        return self._counted > MAX_COUNTED

    @cached_property
    def _counted(self) -> int:
        rows = self.object_list
        if isinstance(rows, QuerySet):
            return rows.order_by()[: MAX_COUNTED + 1].count()
        return len(rows)


class ConsoleChangeList(ChangeList):
    """A change list that shows the rows of `listed` and goes to the nearest page if a page does not exist."""

    model_admin: Any  # a ConsoleModelAdmin

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if any("\0" in value for _, values in request.GET.lists() for value in values):
            raise IncorrectLookupParameters("PostgreSQL cannot compare text that contains NUL")
        rows: Any = self.root_queryset
        self.root_queryset = self.model_admin.listed(request, rows)
        try:
            return super().get_queryset(request, *args, **kwargs)
        except OverflowError as error:  # a year with 40 digits; Django does not catch this error
            raise IncorrectLookupParameters(error) from error
        finally:
            self.root_queryset = rows  # Django calls this method repeatedly; do not filter twice

    def get_results(self, request: HttpRequest) -> None:
        try:
            super().get_results(request)
        except IncorrectLookupParameters:
            self._go_to_nearest_page(request)
            super().get_results(request)
        if not self.has_active_filters and not self.query:
            self.full_result_count = self.result_count

    def _go_to_nearest_page(self, request: HttpRequest) -> None:
        """Go to the first or last page if the requested page does not exist."""
        pages = self.model_admin.get_paginator(request, self.queryset, self.list_per_page).num_pages
        asked: int = self.page_num
        self.page_num = min(max(asked, 1), pages)
        messages.info(request, f"Page {asked} does not exist. This is page {self.page_num} of {pages}.")
