"""Require a sign-in within the last SUDO_MINUTES before pages that create keys or that cannot be undone.

Source: docs/reference/console.md §1.3; docs/reference/security.md §5. The session stores the time, so a sign-in in
another browser does not count.
"""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from config.accounts import second_factor, single_sign_on
from config.accounts.sessions import THROUGH_PROVIDER, account_of
from config.console import sign_in
from config.console.sign_in import CodeForm
from config.console.theme import PasswordInput

NOT_YOUR_PASSWORD = "The password is wrong. Check it and try again."  # noqa: S105  a text of the page
_KEY = "proved_at"


class PasswordForm(forms.Form):
    """The password of the person who is signed in, and a code if the account has a second factor."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )
    code = CodeForm.base_fields["code"]

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        if second_factor.of_account(account_of(request)) is None:
            del self.fields["code"]
            return
        self.fields["code"].widget.attrs.pop("autofocus")
        if second_factor.device_of(account_of(request)) is None:
            sign_in.ask_for_recovery_code(self)

    def clean(self) -> dict[str, Any]:
        """Check the code only if the password is right, because a code works only once."""
        cleaned = super().clean() or {}
        user = account_of(self.request)
        if self.errors:
            return cleaned
        if authenticate(self.request, username=user.get_username(), password=cleaned["password"]) is None:
            self.add_error("password", NOT_YOUR_PASSWORD)
        elif "code" in self.fields and sign_in.prove(self.request, user, cleaned["code"]) is None:
            self.add_error("code", sign_in.WRONG_CODE)
        return cleaned


@receiver(user_logged_in)
def remember(request: HttpRequest, **kwargs: object) -> None:
    """Store the time of this sign-in in the session."""
    request.session[_KEY] = timezone.now().timestamp()


def is_recent(request: HttpRequest) -> bool:
    proved_at = request.session.get(_KEY, 0.0)
    age_seconds = timezone.now().timestamp() - proved_at
    return bool(age_seconds < settings.SUDO_MINUTES * 60)


def ask(request: HttpRequest) -> HttpResponseRedirect:
    """Redirect to the page that asks for the password, or to the sign-in provider. Both lead back to this page."""
    query = {"next": request.get_full_path()}
    if request.session.get(THROUGH_PROVIDER) and single_sign_on.is_on():
        return HttpResponseRedirect(f"{reverse('single-sign-on')}?{urlencode({**query, 'again': 1})}")
    return HttpResponseRedirect(f"{reverse('admin:confirm')}?{urlencode(query)}")


def way_back(request: HttpRequest) -> str:
    """Return the path of the page that asked for the password, or of the overview if it is not on this site."""
    path = request.GET.get("next", "")
    is_local = url_has_allowed_host_and_scheme(path, allowed_hosts=None) and path.startswith("/")
    return path if is_local else reverse("admin:index")
