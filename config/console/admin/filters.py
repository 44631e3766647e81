"""Base classes for list filters by a condition instead of a column."""

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

Rows = QuerySet[Any]
Options = dict[str, tuple[str, Callable[[Rows], Rows]]]


def by(condition: Q) -> Callable[[Rows], Rows]:
    """Return a function that filters rows by the condition."""
    return lambda rows: rows.filter(condition)


class ChoiceFilter(admin.SimpleListFilter):
    """A filter with fixed choices.

    options: for each value, the label and a function that filters the rows
    unchosen: label and function for no choice
    """

    options: Options
    unchosen: tuple[str, Callable[[Rows], Rows]] = ("All", lambda rows: rows)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, label) for value, (label, _) in self.options.items()]

    def choices(self, changelist: Any) -> Iterator[Any]:
        nothing, *others = super().choices(changelist)
        yield {**nothing, "display": self.unchosen[0]}
        yield from others

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        return self.options.get(self.value() or "", self.unchosen)[1](queryset)


def choice_filter(title: str, options: Options, *, parameter: str = "") -> type[ChoiceFilter]:
    """Return a filter with these choices. options: see `ChoiceFilter`; parameter: of the URL, by default the title"""
    return type("Filter", (ChoiceFilter,), {"title": title, "parameter_name": parameter or title, "options": options})


def yes_no_filter(title: str, parameter: str, condition: Q) -> type[ChoiceFilter]:
    """Return a filter with the choices Yes and No. condition: the condition for Yes"""
    options: Options = {"yes": ("Yes", by(condition)), "no": ("No", by(~condition))}
    return choice_filter(title, options, parameter=parameter)
