"""Where a second factor is demanded, an account without one opens nothing but the page that enrols it.

Source: Security and reliability §5; Staff console §3.12.
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

from config import envelopes
from config.accounts import second_factor as factors
from config.accounts import sessions

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_CONSOLE = ("/admin/",)
_OPEN_NAMES = ("second-factor", "sign-out", "admin:login", "admin:confirm")  # to enrol, and to leave


def second_factor(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not factors.is_demanded():
            return get_response(request)
        if not envelopes.is_below(request.path_info, _CONSOLE):
            request.user = SimpleLazyObject(partial(_proved_or_nobody, request.user))  # type: ignore[assignment]
            return get_response(request)
        return _refusal(request) or get_response(request)

    return middleware


def _refusal(request: HttpRequest) -> HttpResponseBase | None:
    """Return the way to the enrolment page, or to the sign-in where the account has been enrolled elsewhere since."""
    if not sessions.is_signed_in(request) or not request.user.is_authenticated or _is_proved(request.user):
        return None
    if factors.device_of(request.user) is not None:
        logout(request)
        return redirect_to_login(request.get_full_path(), "admin:login")
    if request.path_info in {reverse(name) for name in _OPEN_NAMES}:
        return None
    return HttpResponseRedirect(reverse("second-factor"))


def _proved_or_nobody(user: User | AnonymousUser) -> User | AnonymousUser:
    """Outside the console an account that has proved only its password is nobody."""
    return user if user.is_authenticated and _is_proved(user) else AnonymousUser()


def _is_proved(user: Any) -> bool:  # any: django-otp's middleware has put the method there
    return bool(user.is_verified())
