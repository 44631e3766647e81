"""The service switcher of the menu, which chooses the service whose rows the lists show.

One area registers a `Switcher`. The session stores the choice, and a cookie does for later sessions.
Source: docs/reference/console.md §1.3.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme

from config import areas

ALL = "all"  # the choice of all services, for operators only
REMEMBERED = "service"  # the cookie with the last choice
_YEAR = 365 * 24 * 60 * 60  # in seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An entry of the switcher. value: what the form posts; note: a remark such as "Trial"."""

    value: str
    name: str
    note: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Switcher:
    """The functions that an area provides.

    choices: return the entries for a person
    choose: store a choice and return whether it was one of the entries
    settings_page: return the URL of the chosen service's settings, or "" if the person may not see them
    add_page: return the URL of the form for a new service, or "" if the person may not create one
    services_of: return the names of services by account id, for many accounts in one query
    """

    choices: Callable[[HttpRequest], list[Choice]]
    choose: Callable[[HttpRequest, str], bool]
    settings_page: Callable[[HttpRequest], str]
    add_page: Callable[[HttpRequest], str]
    services_of: Callable[[Collection[int]], dict[int, list[str]]]


def shown(request: HttpRequest) -> dict[str, object]:
    """Return the template context of the switcher."""
    switcher = _switcher()
    choices = switcher.choices(request) if switcher else []
    chosen = next((choice for choice in choices if choice.is_chosen), None)
    add_page = switcher.add_page(request) if switcher else ""
    return {"choices": choices, "chosen": chosen, "here": request.get_full_path(), "add_page": add_page}


def settings_page(request: HttpRequest) -> str:
    switcher = _switcher()
    return switcher.settings_page(request) if switcher else ""


def services_of(user_ids: Collection[int]) -> dict[int, list[str]]:
    """Return the names of the services of accounts, by account id."""
    switcher = _switcher()
    return switcher.services_of(user_ids) if switcher else {}


def switch(request: HttpRequest) -> HttpResponseRedirect | None:
    """Store the posted choice and return a redirect, or None if the person may not choose it."""
    switcher = _switcher()
    wanted = request.POST.get("service") or request.GET.get("service", "")  # the search posts to a URL with it
    if not switcher or not switcher.choose(request, wanted):
        return None
    response = HttpResponseRedirect(_next_page(request))
    remember(response, wanted)
    return response


def remember(response: HttpResponse, value: str) -> None:
    """Store the choice in this browser, for the next sign-in."""
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(REMEMBERED, value, max_age=_YEAR, httponly=True, samesite="Lax", secure=secure)


def _switcher() -> Switcher | None:
    return next(iter(areas.parts(Switcher)), None)


def _next_page(request: HttpRequest) -> str:
    """Return the list of the current page if the person may see it, else the overview.

    The query string is dropped, because its filters belong to the other service.
    """
    overview = reverse("admin:index")
    path = request.POST.get("next", "").partition("?")[0]
    if not path.startswith("/") or not url_has_allowed_host_and_scheme(path, allowed_hosts=None):
        return overview
    try:
        name = resolve(path).url_name or ""
    except Resolver404:
        return overview
    for model in filter(admin.site.is_registered, apps.get_models()):
        stem = f"{model._meta.app_label}_{model._meta.model_name}"
        if name.startswith(f"{stem}_"):
            may_view = admin.site.get_model_admin(model).has_view_or_change_permission(request)
            return reverse(f"admin:{stem}_changelist") if may_view else overview
    return overview
