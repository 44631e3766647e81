"""The pages of a person's own passkeys: add, rename, remove. The list is on the page of the account.

Source: docs/reference/console.md §3.12; docs/reference/security.md §5.
"""

from typing import Any

import django_otp
from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from config.accounts import origin, passkeys, relying_party, second_factor, sessions
from config.accounts.models import Passkey
from config.accounts.origin import RequestOrigin
from config.accounts.passkeys import MAX_PASSKEYS, AlreadyAdded, LastSecondFactor, TooManyPasskeys
from config.accounts.relying_party import NotAccepted
from config.accounts.sessions import account_of
from config.console import my_account, recent_sign_in, second_factor_pages, shown_once, sign_in_audit
from config.console.my_account import done, page
from config.console.passkeys import challenges
from config.console.passkeys.challenges import ChallengeOver, Purpose
from config.console.passkeys.sign_in import TOO_LATE, wants_options
from config.console.theme import TextInput

FULL = f"You have {MAX_PASSKEYS} passkeys, which is the most an account can have. Remove one first."
LAST = "This is your only second factor, and every account in this installation needs one."
_NO_ANSWER = "Your browser sent no passkey. Turn on JavaScript and try again."
_NOT_ACCEPTED = "This passkey was not accepted. Try again, or use another device."
_ALREADY_ADDED = "This passkey was added before. Use another device or password manager."


class PasskeyNameForm(forms.Form):
    """The name by which the person recognises the passkey."""

    name = forms.CharField(
        label="Name of the passkey",
        max_length=passkeys.NAME_CHARACTERS,
        widget=TextInput(attrs={"autocomplete": "off", "autofocus": True}),
        help_text="For example Work laptop, or Blue security key.",
        error_messages={"required": "Enter a name for the passkey."},
    )

    def clean_name(self) -> str:
        return my_account.visible(self.cleaned_data["name"])


class NewPasskeyForm(PasskeyNameForm):
    """The name, and the browser's answer, which the script fills in."""

    credential = forms.CharField(required=False, widget=forms.HiddenInput)


@sensitive_post_parameters("credential")
@require_http_methods(["GET", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    """Show the form. On POST give the script its options, then store the passkey."""
    if not recent_sign_in.is_recent(request):
        return recent_sign_in.ask(request)
    user, console = account_of(request), origin.of_console(request)
    if passkeys.of_account(user).count() >= MAX_PASSKEYS:
        return _refuse(request, "Add passkey", FULL)
    form = NewPasskeyForm(request.POST if request.method == "POST" else None)
    if wants_options(request):
        return _options(request, user, console, form)
    if request.method == "POST" and shown_once.is_spent(request):
        return second_factor_pages.already_shown(request)
    if form.is_valid():
        try:
            return _store(request, user, console, form)
        except ChallengeOver:
            form.add_error(None, TOO_LATE)
        except NotAccepted:
            form.add_error(None, _NOT_ACCEPTED if form.cleaned_data["credential"] else _NO_ANSWER)
        except AlreadyAdded:
            form.add_error(None, _ALREADY_ADDED)
        except TooManyPasskeys:
            form.add_error(None, FULL)
    context: dict[str, Any] = {"form": form, "origin": console, "on_localhost": origin.on_localhost(request)}
    context |= {"is_first": second_factor.of_account(user) is None, "is_demanded": second_factor.is_demanded()}
    return page(request, "admin/passkey_add.html", "Add passkey", nonce=shown_once.new_nonce(request), **context)


@require_http_methods(["GET", "POST"])
def rename(request: HttpRequest, passkey_id: int) -> HttpResponse:
    user, passkey = _own(request, passkey_id)
    form = PasskeyNameForm(request.POST if request.method == "POST" else None, initial={"name": passkey.name})
    if form.is_valid():
        former, passkey.name = passkey.name, form.cleaned_data["name"]
        with transaction.atomic():
            passkey.save(update_fields=["name"])
            sign_in_audit.note(request, user, "renamed_passkey", passkey=passkey.name, former_name=former)
        return done(request, "The name of the passkey is saved.")
    return page(request, "admin/action.html", "Rename passkey", form=form, button="Save name")


@require_http_methods(["GET", "POST"])
def remove(request: HttpRequest, passkey_id: int) -> HttpResponse:
    """Explain the consequences. On POST remove the passkey and end the person's other sessions."""
    if not recent_sign_in.is_recent(request):
        return recent_sign_in.ask(request)
    user, passkey = _own(request, passkey_id)
    if request.method == "POST":
        try:
            _remove(request, user, passkey)
        except LastSecondFactor:
            return _refuse_last(request)
        return done(request, f"The passkey {passkey.name} is removed. All your other sessions have ended.")
    if passkeys.is_last_factor(user):
        return _refuse_last(request)
    explanation = [
        f"You can no longer sign in with the passkey {passkey.name}. All your other sessions end.",
        "Delete it in your device or password manager, too. Signalbox cannot do that.",
    ]
    if second_factor.device_of(user) is None and passkeys.of_account(user).count() == 1:
        explanation.append(
            "It is your only second factor. Afterwards your password alone opens your account, and your recovery "
            "codes stop working."
        )
    context: dict[str, Any] = {"explanation": explanation, "button": "Remove passkey", "is_destructive": True}
    return page(request, "admin/action.html", "Remove passkey", **context)


def _options(request: HttpRequest, user: User, console: RequestOrigin, form: NewPasskeyForm) -> HttpResponse:
    """Return the browser's options, or the error of the name, before the device makes a key for it."""
    if not form.is_valid():
        return JsonResponse({"error": " ".join(str(error) for error in form.errors["name"])}, status=400)
    challenge = challenges.begin(request, Purpose.ADD, user_handle=passkeys.user_handle_of(user))
    known = list(passkeys.of_account(user))
    options = relying_party.creation_options(console, user, challenge.value, challenge.user_handle, known)
    return JsonResponse(options)


def _store(request: HttpRequest, user: User, console: RequestOrigin, form: NewPasskeyForm) -> HttpResponse:
    """Store the passkey. A person without recovery codes gets some."""
    challenge = challenges.take(request, Purpose.ADD)
    credential = relying_party.check_new(console, challenge.value, form.cleaned_data["credential"])
    name, codes = form.cleaned_data["name"], list[str]()
    with transaction.atomic():
        passkey = passkeys.add(user, credential, name=name, user_handle=challenge.user_handle)
        if not second_factor.recovery_codes_left(user):
            shown_once.spend(request)
            codes = second_factor.new_recovery_codes(user)
        if getattr(user, "otp_device", None) is None:
            django_otp.login(request, passkey)  # type: ignore[no-untyped-call]
        request.session.cycle_key()
        sessions.end_all(user.pk, but=request.session)
        sign_in_audit.note(request, user, "added_passkey", passkey=name)
    if codes:
        return second_factor_pages.codes_page(request, codes)
    return done(request, f"The passkey {name} is added. All your other sessions have ended.")


def _remove(request: HttpRequest, user: User, passkey: Passkey) -> None:
    """Remove the passkey. A session that it has proved goes on with another second factor. Raises LastSecondFactor."""
    is_of_session = getattr(user, "otp_device", None) == passkey
    with transaction.atomic():
        passkeys.remove(passkey)
        sessions.end_all(user.pk, but=request.session)
        sign_in_audit.note(request, user, "removed_passkey", passkey=passkey.name)
    left = second_factor.of_account(user)
    if is_of_session and left is not None:
        django_otp.login(request, left)  # type: ignore[no-untyped-call]


def _own(request: HttpRequest, passkey_id: int) -> tuple[User, Passkey]:
    """Return the person and their passkey. Another person's passkey does not exist for them."""
    user = account_of(request)
    return user, get_object_or_404(passkeys.of_account(user), pk=passkey_id)


def _refuse(request: HttpRequest, title: str, error: str, remedy: tuple[str, str] | None = None) -> HttpResponse:
    return page(request, "admin/action.html", title, error=error, remedy=remedy)


def _refuse_last(request: HttpRequest) -> HttpResponse:
    remedy = ("Add another passkey", reverse("add-passkey"))
    return _refuse(request, "Remove passkey", f"{LAST} Add another passkey or an authenticator app first.", remedy)
