"""The service switcher of the top bar: a list of services, and the one whose rows the lists show.

An area registers what it offers; the choice is kept in the session. Source: Staff console §1.3.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import admin
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme

ALL = "all"  # what an operator may choose instead of one service


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One line of the switcher: the value it posts, the name people read, and a word such as Trial."""

    value: str
    name: str
    note: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Switcher:
    """What an area offers.

    choices: what a person may choose; choose: keep a choice, and say whether it was one of them;
    settings_page: the address of the chosen service's settings, "" for people who may not see them;
    add_page: the address where a service is made, "" for people who may not.
    """

    choices: Callable[[HttpRequest], list[Choice]]
    choose: Callable[[HttpRequest, str], bool]
    settings_page: Callable[[HttpRequest], str]
    add_page: Callable[[HttpRequest], str]


_registered: list[Switcher] = []


def register(switcher: Switcher) -> None:
    _registered[:] = [switcher]


def shown(request: HttpRequest) -> dict[str, object]:
    """Return what the top bar needs: the choices, and the chosen one."""
    choices = _registered[0].choices(request) if _registered else []
    chosen = next((choice for choice in choices if choice.is_chosen), None)
    add_page = _registered[0].add_page(request) if _registered else ""
    return {"choices": choices, "chosen": chosen, "here": request.get_full_path(), "add_page": add_page}


def settings_page(request: HttpRequest) -> str:
    return _registered[0].settings_page(request) if _registered else ""


def switch(request: HttpRequest) -> HttpResponseRedirect | None:
    """Keep what was chosen and go on; None where it is not this person's to choose."""
    if not _registered or not _registered[0].choose(request, request.POST.get("service", "")):
        return None
    return HttpResponseRedirect(_place_after(request))


def _place_after(request: HttpRequest) -> str:
    """Return where to go on: a list stays, a row's page becomes its list, and what one may not see the overview.

    The query string is left out: its filters are those of the other service.
    """
    overview = reverse("admin:index")
    wish = request.POST.get("next", "").partition("?")[0]
    if not wish.startswith("/") or not url_has_allowed_host_and_scheme(wish, allowed_hosts=None):
        return overview
    try:
        name = resolve(wish).url_name or ""
    except Resolver404:
        return overview
    for model, model_admin in admin.site._registry.items():
        stem = f"{model._meta.app_label}_{model._meta.model_name}"
        if name.startswith(f"{stem}_"):
            is_theirs = model_admin.has_view_or_change_permission(request)
            return reverse(f"admin:{stem}_changelist") if is_theirs else overview
    return overview
