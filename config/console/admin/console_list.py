"""A list of rows: what it shows of a person's rows, and what it does about pages that are not there."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest


def console_list(theirs: type[ChangeList]) -> type[ChangeList]:
    """Return the theme's list, or Django's, with the console's rules. Unfiltered, it need not offer "show all"."""

    class ConsoleChangeList(theirs):  # type: ignore[valid-type,misc]  # the theme's class or Django's
        def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if any("\0" in value for _, values in request.GET.lists() for value in values):
                raise IncorrectLookupParameters("PostgreSQL compares no text that contains NUL")
            rows: Any = self.root_queryset  # type: ignore[has-type]  # Django sets it before it asks
            self.root_queryset = self.model_admin.listed(request, rows)
            try:
                return super().get_queryset(request, *args, **kwargs)
            except OverflowError as error:  # of a year with 40 digits, which Django does not catch
                raise IncorrectLookupParameters(error) from error
            finally:
                self.root_queryset = rows  # it is asked more than once, and no condition is to stand twice

        def get_results(self, request: HttpRequest) -> None:
            try:
                super().get_results(request)
            except IncorrectLookupParameters:
                self._go_to_nearest_page(request)
                super().get_results(request)
            if not self.has_active_filters and not self.query:
                self.full_result_count = self.result_count

        def _go_to_nearest_page(self, request: HttpRequest) -> None:
            """Show the first or last page where the address names one that the list does not have."""
            pages = self.model_admin.get_paginator(request, self.queryset, self.list_per_page).num_pages
            asked: int = self.page_num  # type: ignore[has-type]  # Django sets it before it asks
            self.page_num = min(max(asked, 1), pages)
            messages.info(request, f"There is no page {asked}. This is page {self.page_num} of {pages}.")

    return ConsoleChangeList
