"""The page that opens a row by its id, or by another value that developers quote.

The value is posted, because a reference may hold personal data, and is never stored.
Source: docs/reference/console.md §3.19.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from config import areas
from config.console import pages
from config.console.theme import TextInput
from config.reading import read_uuid

MOST_CHARACTERS = 1000  # the length limit of a reference
_SHOWN_AGAIN = 40  # characters; a longer value may be a whole API key or access token


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A page that a value leads to. kind: such as "Message"."""

    kind: str
    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """One area's search for values that are no primary keys. It returns only what this person may open."""

    find: Callable[[HttpRequest, str], Iterable[Match]]


class FindForm(forms.Form):
    """The value to find."""

    term = forms.CharField(
        label="ID, reference or key",
        help_text="Paste an ID, the reference of a message, a request ID, the start of an API key or access token, "
        "or the path of a data set.",
        max_length=MOST_CHARACTERS,
        widget=TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": "Enter an ID, a reference or the start of a key."},
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def find(request: HttpRequest) -> HttpResponse:
    """Redirect to the only page that the posted value leads to. Otherwise list the pages, or show the form."""
    form = FindForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(request, form)
    term = form.cleaned_data["term"]
    found = matches_of(request, term)
    if len(found) == 1:
        return HttpResponseRedirect(found[0].url)
    again = FindForm(initial={"term": term} if len(term) <= _SHOWN_AGAIN else {})
    return _page(request, again, found)


def matches_of(request: HttpRequest, term: str) -> list[Match]:
    """Return the pages that this person may open for a value, without duplicates."""
    found = [*_rows(request, term), *(match for part in areas.parts(Finder) for match in part.find(request, term))]
    return list({match.url: match for match in found}.values())


def matches(request: HttpRequest, rows: Iterable[models.Model]) -> list[Match]:
    """Return the pages of those rows that this person may open."""
    return [match for row in rows if (match := _match(request, type(row), row.pk))]


def _rows(request: HttpRequest, term: str) -> list[Match]:
    """Return the rows of all models with this UUID as the primary key. A number would be the id of too many rows."""
    identifier = read_uuid(term)
    if identifier is None:
        return []
    shown = filter(admin.site.is_registered, apps.get_models())
    keyed = [model for model in shown if isinstance(model._meta.pk, models.UUIDField)]
    return [match for model in keyed if (match := _match(request, model, identifier))]


def _match(request: HttpRequest, model: type[models.Model], key: object) -> Match | None:
    model_admin: Any = admin.site.get_model_admin(model)
    row = model_admin.get_object(request, str(key))
    if row is None or not model_admin.has_view_or_change_permission(request, row):
        return None
    kind = capfirst(model_admin.row_noun())
    return Match(kind=kind, title=model_admin.title_of(request, row), url=model_admin.url_of("change", row))


def _page(request: HttpRequest, form: FindForm, found: list[Match] | None = None) -> HttpResponse:
    is_nothing_found = found is not None and not found
    context: dict[str, Any] = {"form": form, "matches": found, "is_nothing_found": is_nothing_found}
    return pages.show(request, "admin/find.html", "Find by ID", **context)
