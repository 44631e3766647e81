"""The search of all pages: places of the menu, rows by name, and rows by an ID or another value that developers quote.

The value is posted, because it may be a recipient or hold personal data, and is never stored.
Source: docs/reference/console.md §3.19.
"""

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from config import areas
from config.console import navigation, pages
from config.console.theme import TextInput
from config.reading import read_uuid

MOST_CHARACTERS = 1000  # the length limit of a reference
MOST_OF_A_KIND = 5  # rows by name
_SHOWN_AGAIN = 40  # characters; a longer value may be a whole API key or access token
_SHORTEST = 2  # characters of a name


@dataclass(frozen=True, slots=True)
class Match:
    """A page that a value leads to. kind: such as "Message"; is_posted: whether the page needs the value by POST"""

    kind: str
    title: str
    url: str
    _: KW_ONLY
    is_posted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """One area's search. It returns only what this person may open.

    find: for a value that identifies rows and is no primary key
    suggest: for a part of a name or of a text
    """

    find: Callable[[HttpRequest, str], Iterable[Match]] = lambda request, term: ()
    suggest: Callable[[HttpRequest, str], Iterable[Match]] = lambda request, term: ()


class FindForm(forms.Form):
    """The value to find."""

    term = forms.CharField(
        label="Search for",
        help_text="Enter the name of a page, service, template, data set or person, words of a template, an ID, the "
        "reference of a message, a recipient, a request ID, or the start of an API key or access token.",
        max_length=MOST_CHARACTERS,
        widget=TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": "Enter a name, an ID, a reference or the start of a key."},
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def find(request: HttpRequest) -> HttpResponse:
    """Redirect to the only page that the posted value leads to. Otherwise list the pages, or show the form."""
    form = FindForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(request, form)
    term = form.cleaned_data["term"]
    exact = matches_of(request, term)
    found = exact or suggestions(request, term)
    if len(found) == 1 and not found[0].is_posted:
        return HttpResponseRedirect(found[0].url)
    again = FindForm(initial={"term": term} if len(term) <= _SHOWN_AGAIN else {})
    return _page(request, again, found, term)


@never_cache
@require_POST
def suggest(request: HttpRequest) -> HttpResponse:
    """Return the options of the search box for the typed text."""
    form = FindForm(request.POST)
    term = form.cleaned_data["term"] if form.is_valid() else ""
    found = [*matches_of(request, term), *suggestions(request, term)] if len(term) >= _SHORTEST else []
    return render(request, "admin/includes/search_options.html", {"matches": _without_duplicates(found)})


def matches_of(request: HttpRequest, term: str) -> list[Match]:
    """Return the pages that this person may open for a value, without duplicates."""
    found = [*_rows(request, term), *(match for part in areas.parts(Finder) for match in part.find(request, term))]
    return _without_duplicates(found)


def suggestions(request: HttpRequest, term: str) -> list[Match]:
    """Return the places of the menu that have all words of a text, and the rows that have it in their name."""
    text = term.lower()
    places = [
        link
        for link in navigation.links(request)
        if all(word in f"{link.title} {link.place} {link.about}".lower() for word in text.split())
    ]
    places.sort(key=lambda link: (not link.title.lower().startswith(text), text not in link.title.lower()))
    pages_found = [  # the place tells *Dashboards* of data from the *Dashboard* of a service
        Match("Page" if one.title == one.place else f"Page in {one.place}", one.title, one.url)
        for one in places[:MOST_OF_A_KIND]
    ]
    rows = (match for part in areas.parts(Finder) for match in part.suggest(request, term))
    return _without_duplicates([*pages_found, *rows])


def _without_duplicates(found: Iterable[Match]) -> list[Match]:
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
    return Match(kind, model_admin.title_of(request, row), model_admin.url_of("change", row))


def _page(request: HttpRequest, form: FindForm, found: list[Match] | None = None, term: str = "") -> HttpResponse:
    return pages.show(request, "admin/find.html", "Search", form=form, matches=found, term=term)
