"""The pages of a person's own account: name, password, second factor, passkeys, recovery codes and sessions.

Source: docs/reference/console.md §2.19, §3.12; docs/reference/security.md §5.
"""

import unicodedata
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import authenticate, update_session_auth_hash
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from config.accounts import invites, passkeys, second_factor, sessions
from config.accounts.passkeys import MAX_PASSKEYS
from config.console import pages, password_fields, sign_in_audit
from config.console.recent_sign_in import NOT_YOUR_PASSWORD
from config.console.theme import PasswordInput, TextInput

_TITLE = "Your account"


class OwnPasswordForm(forms.Form):
    """The current password, and the new one twice."""

    old_password = forms.CharField(
        label="Current password", strip=False, widget=PasswordInput(attrs={"autocomplete": "current-password"})
    )
    new_password = password_fields.field()
    again = password_fields.again()

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        """Check the password like a sign-in, so that ten wrong ones lock the account."""
        typed: str = self.cleaned_data["old_password"]
        if authenticate(self.request, username=self.request.user.get_username(), password=typed) is None:
            raise forms.ValidationError(NOT_YOUR_PASSWORD)
        return typed

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("new_password") and cleaned["new_password"] == cleaned.get("old_password"):
            self.add_error("new_password", "This is your current password. Choose a different one.")
        else:
            password_fields.check(self, "new_password", sessions.account_of(self.request))
        return cleaned


class OwnNameForm(forms.Form):
    """The name that colleagues see."""

    name = forms.CharField(
        label="Your name",
        max_length=150,
        required=False,
        widget=TextInput(attrs={"autocomplete": "name", "autofocus": True}),
        help_text="For example Mina Patel. Operators see it in the list of users. You cannot sign in with it.",
    )

    def clean_name(self) -> str:
        return visible(self.cleaned_data["name"])


def visible(name: str) -> str:
    """Return a name in Unicode NFC. Raises ValidationError if it contains invisible characters."""
    normalized = unicodedata.normalize("NFC", name)
    if not normalized.isprintable():
        raise forms.ValidationError(
            "This name contains invisible characters. Use letters, spaces and punctuation only."
        )
    return normalized


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    """Show the sign-in details of the account, with links to change them."""
    user = sessions.account_of(request)
    device, codes_left = second_factor.device_of(user), second_factor.recovery_codes_left(user)
    open_sessions = sessions.of_account(user.pk, request.session)
    own = list(passkeys.of_account(user))
    context: dict[str, Any] = {"device": device, "codes_left": codes_left, "open_sessions": open_sessions}
    context |= {"passkeys": own, "may_add": len(own) < MAX_PASSKEYS, "has_password": user.has_usable_password()}
    return page(request, "admin/my_account.html", _TITLE, **context)


@require_http_methods(["GET", "POST"])
def change_name(request: HttpRequest) -> HttpResponse:
    user = sessions.account_of(request)
    form = OwnNameForm(request.POST if request.method == "POST" else None, initial={"name": user.get_full_name()})
    if form.is_valid():
        with transaction.atomic():
            user.first_name, user.last_name = form.cleaned_data["name"], ""
            user.save(update_fields=["first_name", "last_name"])
            sign_in_audit.note(request, user, "changed_name")
        return done(request, "Your name is saved.")
    return page(request, "admin/action.html", "Change your name", form=form, button="Save name")


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def change_password(request: HttpRequest) -> HttpResponse:
    form = OwnPasswordForm(request.POST if request.method == "POST" else None, request=request)
    if form.is_valid():
        user = sessions.account_of(request)
        with transaction.atomic():
            user.set_password(form.cleaned_data["new_password"])
            user.save(update_fields=["password"])
            update_session_auth_hash(request, user)
            invites.end(user_id=user.pk)
            sessions.end_all(user.pk, but=request.session)
            sign_in_audit.note(request, user, "changed_password")
        return done(request, "Your password is changed. All your other sessions have ended.")
    explanation = ["All your other sessions end when you change your password."]
    context: dict[str, Any] = {"form": form, "explanation": explanation, "button": "Change password"}
    return page(request, "admin/action.html", "Change your password", **context)


@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    user = sessions.account_of(request)
    with transaction.atomic():
        ended = sessions.end_all(user.pk, but=request.session)
        sign_in_audit.note(request, user, "ended_sessions", ended=ended)
    return done(request, f"{ended} other {'session is' if ended == 1 else 'sessions are'} ended.")


@require_POST
def end_session(request: HttpRequest) -> HttpResponse:
    """End one of the person's own sessions."""
    user = sessions.account_of(request)
    with transaction.atomic():
        is_ended = sessions.end_one(user.pk, request.POST.get("session", ""))
        if is_ended:
            sign_in_audit.note(request, user, "ended_sessions", ended=1)
    return done(request, "The session is ended." if is_ended else "That session had already ended.")


def page(request: HttpRequest, template: str, title: str, *, status: int = 200, **context: object) -> HttpResponse:
    """Return a page of the account, whose way back is the account."""
    place = reverse("my-account")
    above = {} if title == _TITLE else {"page_above": (_TITLE, place)}
    return pages.show(request, template, title, status=status, list_url=place, **above, **context)


def done(request: HttpRequest, message: str) -> HttpResponse:
    messages.success(request, message)
    return HttpResponseRedirect(reverse("my-account"))
