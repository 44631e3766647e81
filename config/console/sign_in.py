"""Sign in: the password on one page, the code of the second factor on the next; and the page that says to wait.

Between the two pages nobody is signed in: the session holds only who has shown the right password, for ten minutes.
Source: Staff console §1.2 T14; Security and reliability §5.
"""

from typing import Any
from urllib.parse import urlencode

import django_otp
from axes.handlers.proxy import AxesProxyHandler
from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import REDIRECT_FIELD_NAME, login, logout
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import LoginView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from config.accounts import lookup, second_factor
from config.accounts.models import TotpDevice
from config.console import sign_in_audit
from config.console.referrers import keeps_query_private
from config.console.theme import AuthenticationForm, PasswordInput, TextInput

HALF_WAY_SECONDS = 10 * 60
WRONG_CODE = "The code is wrong, or it was used before. Enter the one that your app shows now."
WRONG = "The email address, user name or password is wrong. Check them and try again."
_HALF_WAY = "signing_in"


class CodeInput(TextInput):
    """A field that can be read while typing, and comes back empty: what was typed may be a recovery code (trap T13)."""

    def format_value(self, value: Any) -> None:
        return None


class CodeForm(forms.Form):
    """A code of the app, or a recovery code."""

    code = forms.CharField(
        max_length=40,
        widget=CodeInput(
            attrs={"autocomplete": "one-time-code", "autofocus": True, "autocapitalize": "off", "spellcheck": "false"}
        ),
        help_text="Six digits from your authenticator app, or one of your recovery codes.",
    )


class SignInForm(AuthenticationForm):
    """An email address or a user name, and the password."""

    username = forms.CharField(
        label="Email address or user name",
        widget=TextInput(
            attrs={"autocomplete": "username", "autofocus": True, "autocapitalize": "off", "spellcheck": "false"}
        ),
    )
    password = forms.CharField(strip=False, widget=PasswordInput(attrs={"autocomplete": "current-password"}))
    error_messages = {"invalid_login": WRONG, "inactive": WRONG}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].widget.attrs["maxlength"] = lookup.MAX_CHARACTERS


@method_decorator(keeps_query_private, name="dispatch")  # `next` may be the link of an invite
class _SignInPage(LoginView):
    def get_redirect_url(self, *args: Any) -> str:
        """Return where the person wants to go, if that is a whole path of this site."""
        wish = super().get_redirect_url(*args)
        return wish if wish.startswith("/") else ""


class PasswordPage(_SignInPage):
    """The first page: name and password. One wording for all that is wrong with them."""

    template_name = "admin/login.html"
    authentication_form: Any = SignInForm  # any: Django's is typed for its own class

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        frame = {**admin.site.each_context(self.request), "title": "Sign in to Signalbox", "subtitle": None}
        frame |= {"app_path": self.request.get_full_path(), REDIRECT_FIELD_NAME: self.get_success_url()}
        return {**super().get_context_data(**kwargs), **frame}

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if admin.site.has_permission(request):
            return HttpResponseRedirect(self.get_success_url())
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        return enter(self.request, form.get_user(), self.get_success_url())


@method_decorator(sensitive_post_parameters("code"), name="dispatch")
class CodePage(_SignInPage):
    """The second page: a code, counted like a password where it is wrong."""

    template_name = "admin/sign_in_code.html"
    form_class: Any = CodeForm  # it takes no request, unlike the form of names and passwords

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.half_way = _half_way(request)
        if self.half_way is None:
            return HttpResponseRedirect(f"{reverse('admin:login')}?{urlencode({'next': self.get_success_url()})}")
        return super().dispatch(request, *args, **kwargs)  # type: ignore[return-value]

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs = super().get_form_kwargs()
        kwargs.pop("request", None)
        return kwargs

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {
            **super().get_context_data(**kwargs),
            **admin.site.each_context(self.request),
            "title": "Enter your code",
        }

    def form_valid(self, form: Any) -> HttpResponse:
        user = self.half_way
        assert user is not None  # noqa: S101  dispatch has looked
        if is_locked(self.request, user):
            return waiting_page(self.request)
        code = form.cleaned_data["code"]
        device = prove(self.request, user, code)
        if device is None:
            form.add_error("code", WRONG_CODE)
            return self.form_invalid(form)
        _let_in(self.request, user, device, way="recovery code" if second_factor.is_recovery_code(code) else "app")
        return HttpResponseRedirect(self.get_success_url())


def enter(request: HttpRequest, user: User, wish: str = "") -> HttpResponse:
    """Sign in a person who has shown the password or the holder of a link; an account with a second factor: ask for it.

    wish: where they want to go, on this site
    """
    place = wish or reverse("admin:index")
    user.backend = getattr(user, "backend", settings.AUTHENTICATION_BACKENDS[-1])
    if second_factor.device_of(user) is None:
        _let_in(request, user)
        return HttpResponseRedirect(place)
    _keep_half_way(request, user)
    return HttpResponseRedirect(f"{reverse('sign-in-code')}?{urlencode({'next': place})}")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End this session, and say so."""
    if request.user.is_authenticated:
        sign_in_audit.note(request, request.user, "signed_out")
    logout(request)
    return TemplateResponse(
        request, "admin/signed_out.html", {**admin.site.each_context(request), "title": "Signed out"}
    )


def waiting_page(request: HttpRequest, *args: Any) -> HttpResponse:
    """Answer everybody who has given ten wrong passwords or codes, also one who now gives the right ones."""
    context = {**admin.site.each_context(request), "title": "Please wait", "minutes": settings.SIGN_IN_WAIT_MINUTES}
    answer = TemplateResponse(request, "admin/waiting.html", context, status=429)
    answer["Retry-After"] = str(settings.SIGN_IN_WAIT_MINUTES * 60)
    return answer.render()


def is_locked(request: HttpRequest, user: User) -> bool:
    """Say whether no code of this account is looked at for now: from this address, or from any."""
    device = second_factor.device_of(user)
    is_allowed = AxesProxyHandler.is_allowed(request, {"username": user.get_username()})
    return not is_allowed or (device is not None and device.is_waiting())


def prove(request: HttpRequest, user: User, code: str) -> TotpDevice | None:
    """Judge a code; a wrong one counts like a wrong password."""
    device = second_factor.prove(user, code)
    if device is None:
        user_login_failed.send(__name__, credentials={"username": user.get_username()}, request=request)
    return device


def _let_in(request: HttpRequest, user: User, device: TotpDevice | None = None, way: str = "") -> None:
    with transaction.atomic():
        request.session.pop(_HALF_WAY, None)
        login(request, user)
        if device is not None:
            django_otp.login(request, device)  # type: ignore[no-untyped-call]
        sign_in_audit.note(request, user, "signed_in", second_factor=way or None)


def _keep_half_way(request: HttpRequest, user: User) -> None:
    request.session.flush()  # whoever was signed in here is no longer
    request.session[_HALF_WAY] = {
        "user": user.pk,
        "backend": user.backend,  # authenticate() has put it there
        "password": user.get_session_auth_hash(),
        "at": timezone.now().timestamp(),
    }


def _half_way(request: HttpRequest) -> User | None:
    """Return who has shown the right password in this session a short while ago, if it still is that password."""
    held = request.session.get(_HALF_WAY)
    if held is None or timezone.now().timestamp() - held["at"] >= HALF_WAY_SECONDS:
        return None
    user = User.objects.filter(pk=held["user"], is_active=True).first()
    if user is None or not constant_time_compare(held["password"], user.get_session_auth_hash()):
        return None
    user.backend = held["backend"]
    return user
