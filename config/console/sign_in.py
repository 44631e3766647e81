"""The sign-in pages: one for the password, one for the second factor, and one for locked accounts.

Between the first two pages the person is not signed in. For ten minutes the session stores which account's password was
right.
Source: docs/reference/console.md §1.2 T14; docs/reference/security.md §5.
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
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST
from django_otp.models import Device

from config.accounts import lookup, origin, passkeys, second_factor, sessions, single_sign_on
from config.console import pages, sign_in_audit
from config.console.referrers import keeps_query_private
from config.console.theme import AuthenticationForm, PasswordInput, TextInput

CODE_WAIT_SECONDS = 10 * 60
WRONG_CODE = "The code is wrong or was used before. Enter the code that your app shows now."
WRONG = "The email address, user name or password is wrong. Check them and try again."
_PENDING = "signing_in"


def name_field(**options: Any) -> forms.CharField:
    """Return the field for the email address or user name of an account."""
    attrs = {"autocomplete": "username", "autofocus": True, "autocapitalize": "off", "spellcheck": "false"}
    return forms.CharField(label="Email address or user name", widget=TextInput(attrs=attrs), **options)


class CodeInput(TextInput):
    """A text field that is never filled in again, because the typed text may be a recovery code (trap T13)."""

    def format_value(self, value: Any) -> None:
        return None


class CodeForm(forms.Form):
    """A code of the app or a recovery code."""

    code = forms.CharField(
        max_length=40,
        widget=CodeInput(
            attrs={"autocomplete": "one-time-code", "autofocus": True, "autocapitalize": "off", "spellcheck": "false"}
        ),
        help_text="Six digits from your authenticator app, or one of your recovery codes.",
    )


def ask_for_recovery_code(form: forms.Form) -> None:
    """Change the texts of the code field for an account that has passkeys and no app."""
    form.fields["code"].label, form.fields["code"].help_text = "Recovery code", "One of your recovery codes."
    form.fields["code"].widget.attrs.pop("autofocus", None)  # the button for the passkey comes first


class SignInForm(AuthenticationForm):
    """Email address or user name, and password."""

    username = name_field()
    password = forms.CharField(strip=False, widget=PasswordInput(attrs={"autocomplete": "current-password"}))
    error_messages = {"invalid_login": WRONG, "inactive": WRONG}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].widget.attrs["maxlength"] = lookup.MAX_CHARACTERS


@method_decorator(keeps_query_private, name="dispatch")  # `next` may contain the token of an invite
class _SignInPage(LoginView):
    def get_redirect_url(self, *args: Any) -> str:
        """Return the path in `next`, or "" unless it is an absolute path of this site."""
        path = super().get_redirect_url(*args)
        return path if path.startswith("/") else ""


class PasswordPage(_SignInPage):
    """The first page: name and password. All errors have the same text."""

    template_name = "admin/login.html"
    authentication_form: Any = SignInForm  # Any: Django's type allows only its own class

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        frame = {**admin.site.each_context(self.request), "title": "Sign in to Signalbox", "subtitle": None}
        frame |= {"app_path": self.request.get_full_path(), REDIRECT_FIELD_NAME: self.get_success_url()}
        query = urlencode({"next": self.get_success_url()})
        frame |= {"origin": origin.of_console(self.request), "passkey_url": f"{reverse('passkey-sign-in')}?{query}"}
        if single_sign_on.is_on():
            frame |= {"sign_on_name": settings.OIDC_NAME, "sign_on_url": f"{reverse('single-sign-on')}?{query}"}
        return {**super().get_context_data(**kwargs), **frame}

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if admin.site.has_permission(request):
            return HttpResponseRedirect(self.get_success_url())
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        return enter(self.request, form.get_user(), self.get_success_url())


@method_decorator(sensitive_post_parameters("code"), name="dispatch")
class CodePage(_SignInPage):
    """The second page: a code, or a passkey. A wrong code counts like a wrong password."""

    template_name = "admin/sign_in_code.html"
    form_class: Any = CodeForm  # unlike AuthenticationForm it takes no request

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.pending_user = pending_user(request)
        if self.pending_user is None:
            return HttpResponseRedirect(f"{reverse('admin:login')}?{urlencode({'next': self.get_success_url()})}")
        return super().dispatch(request, *args, **kwargs)  # type: ignore[return-value]

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs = super().get_form_kwargs()
        kwargs.pop("request", None)
        return kwargs

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        if self.pending_user is not None and second_factor.device_of(self.pending_user) is None:
            ask_for_recovery_code(form)
        return form

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        assert self.pending_user is not None  # noqa: S101  checked in dispatch
        frame = {**admin.site.each_context(self.request), **factors_of(self.request, self.pending_user)}
        query = urlencode({"next": self.get_success_url()})
        frame |= {"passkey_url": f"{reverse('passkey-second-step')}?{query}"}
        title = "Enter your code" if frame["has_app"] else "Use your passkey"
        return {**super().get_context_data(**kwargs), **frame, "title": title}

    def form_valid(self, form: Any) -> HttpResponse:
        user = self.pending_user
        assert user is not None  # noqa: S101  checked in dispatch
        if is_locked(self.request, user):
            return locked_page(self.request)
        code = form.cleaned_data["code"]
        device = prove(self.request, user, code)
        if device is None:
            form.add_error("code", WRONG_CODE)
            return self.form_invalid(form)
        let_in(self.request, user, device, way="recovery code" if second_factor.is_recovery_code(code) else "app")
        return HttpResponseRedirect(self.get_success_url())


def factors_of(request: HttpRequest, user: User) -> dict[str, Any]:
    """Return which second factors a page offers to this person, and where passkeys work."""
    has_app = second_factor.device_of(user) is not None
    has_passkeys = passkeys.of_account(user).exists()
    return {"has_app": has_app, "has_passkeys": has_passkeys, "origin": origin.of_console(request)}


def enter(request: HttpRequest, user: User, path: str = "", *, is_proved: bool = False) -> HttpResponse:
    """Sign in after a right password or link, or redirect to the second page if the account has a second factor.

    path: the page of this site to go to after the sign-in; the default is the overview
    is_proved: whether a sign-in provider has already checked a second factor
    """
    path = path or reverse("admin:index")
    user.backend = getattr(user, "backend", settings.AUTHENTICATION_BACKENDS[-1])
    if is_proved or second_factor.of_account(user) is None:
        let_in(request, user, way="provider" if is_proved else "")
        if is_proved:
            request.session[sessions.PROVED_BY_PROVIDER] = True
        return HttpResponseRedirect(path)
    _remember_pending(request, user)
    return HttpResponseRedirect(f"{reverse('sign-in-code')}?{urlencode({'next': path})}")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End this session and show a page that confirms it."""
    if request.user.is_authenticated:
        sign_in_audit.note(request, request.user, "signed_out")
    end_url = single_sign_on.end_url(request)
    logout(request)
    if end_url:
        return HttpResponseRedirect(end_url)
    return pages.show(request, "admin/signed_out.html", "Signed out")


def locked_page(request: HttpRequest, *args: Any) -> HttpResponse:
    """Return 429 after ten wrong passwords or codes, even if the password is now right."""
    minutes = settings.SIGN_IN_WAIT_MINUTES
    answer = pages.show(request, "admin/waiting.html", "Please wait", status=429, minutes=minutes)
    answer["Retry-After"] = str(minutes * 60)
    return answer.render()


def is_locked(request: HttpRequest, user: User) -> bool:
    """Return whether the account accepts no code for now, from this network or from any."""
    device = second_factor.device_of(user)
    return is_locked_here(request, user) or (device is not None and device.is_waiting())


def is_locked_here(request: HttpRequest, user: User) -> bool:
    """Return whether the account is locked for this network. Passkeys need no other lock: nobody can guess one."""
    return not AxesProxyHandler.is_allowed(request, {"username": user.get_username()})


def prove(request: HttpRequest, user: User, code: str) -> Device | None:
    """Return the second factor if the code is right, else None. A wrong code counts like a wrong password."""
    device = second_factor.prove(user, code)
    if device is None:
        user_login_failed.send(__name__, credentials={"username": user.get_username()}, request=request)
    return device


def let_in(request: HttpRequest, user: User, device: Device | None = None, way: str = "") -> None:
    """Sign in. device: the second factor that was proved. way: how, for the audit."""
    with transaction.atomic():
        request.session.pop(_PENDING, None)
        login(request, user)
        if device is not None:
            django_otp.login(request, device)  # type: ignore[no-untyped-call]
        sign_in_audit.note(request, user, "signed_in", second_factor=way or None)


def _remember_pending(request: HttpRequest, user: User) -> None:
    request.session.flush()  # sign out the person who was signed in here
    request.session[_PENDING] = {
        "user": user.pk,
        "backend": user.backend,  # set by authenticate()
        "password": user.get_session_auth_hash(),
        "at": timezone.now().timestamp(),
    }


def pending_user(request: HttpRequest) -> User | None:
    """Return the account whose password was right in this session, unless that is too long ago or it has changed."""
    pending = request.session.get(_PENDING)
    if pending is None or timezone.now().timestamp() - pending["at"] >= CODE_WAIT_SECONDS:
        return None
    user = User.objects.filter(pk=pending["user"], is_active=True).first()
    if user is None or not constant_time_compare(pending["password"], user.get_session_auth_hash()):
        return None
    user.backend = pending["backend"]
    return user
