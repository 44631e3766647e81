"""A sign-in younger than SUDO_MINUTES, asked for before keys are made and before what cannot be taken back.

Source: Staff console §1.3; Security and reliability §5. The moment is kept in the session: another browser's sign-in
proves nothing here.
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

from config.console.theme import PasswordInput

_KEY = "proved_at"


class PasswordForm(forms.Form):
    """The password once more, of the person who is signed in."""

    password = forms.CharField(
        label="Your password", strip=False, widget=PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        user = authenticate(self.request, username=self.request.user.get_username(), password=password)
        if user is None or user.pk != self.request.user.pk:
            raise forms.ValidationError("This is not your password.")
        return password


@receiver(user_logged_in)
def remember(request: HttpRequest, **kwargs: object) -> None:
    """Keep that the person has proved who they are."""
    request.session[_KEY] = timezone.now().timestamp()


def is_recent(request: HttpRequest) -> bool:
    proved_at = request.session.get(_KEY, 0.0)
    age_seconds = timezone.now().timestamp() - proved_at
    return bool(age_seconds < settings.SUDO_MINUTES * 60)


def ask(request: HttpRequest) -> HttpResponseRedirect:
    """Send the person to the page that asks for the password, and from there back to this step."""
    return HttpResponseRedirect(f"{reverse('admin:confirm')}?{urlencode({'next': request.get_full_path()})}")


def way_back(request: HttpRequest) -> str:
    """Return where the person came from, if that is on this site."""
    wish = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wish, allowed_hosts=None) and wish.startswith("/")
    return wish if is_ours else reverse("admin:index")
