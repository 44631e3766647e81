"""Middleware that requires a second factor if the setting demands it.

An account without a second factor can only open the pages that set one up.

Source: docs/reference/security.md §5; docs/reference/console.md §3.12.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from config.accounts import second_factor as factors
from config.accounts import sessions
from config.console.error_pages import is_console

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_OPEN_NAMES = ("second-factor", "add-passkey", "sign-out", "admin:login", "admin:confirm")  # without a second factor


def second_factor(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not factors.is_demanded():
            return get_response(request)
        if not is_console(request):
            request.user = SimpleLazyObject(partial(_verified_or_anonymous, request, request.user))  # type: ignore[assignment]
            return get_response(request)
        return _redirect(request) or get_response(request)

    return middleware


def _redirect(request: HttpRequest) -> HttpResponseBase | None:
    """Return a redirect to the enrolment page, or to the sign-in page if it was enrolled elsewhere."""
    if not sessions.is_signed_in(request) or not request.user.is_authenticated or _is_proved(request, request.user):
        return None
    if factors.of_account(request.user) is not None:
        logout(request)
        return redirect_to_login(request.get_full_path(), "admin:login")
    if request.path_info in {reverse(name) for name in _OPEN_NAMES}:
        return None
    return HttpResponseRedirect(reverse("second-factor"))


def _verified_or_anonymous(request: HttpRequest, user: User | AnonymousUser) -> User | AnonymousUser:
    """Return an anonymous user unless the account has verified its second factor. For pages outside the console."""
    return user if user.is_authenticated and _is_proved(request, user) else AnonymousUser()


def _is_proved(request: HttpRequest, user: Any) -> bool:  # Any: django-otp's middleware adds the method
    """Return whether this session has a second factor: one of Signalbox, or one that the sign-in provider checked."""
    return bool(user.is_verified()) or bool(request.session.get(sessions.PROVED_BY_PROVIDER))
