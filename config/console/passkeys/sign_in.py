"""Use a passkey: instead of the password, after the password, or to confirm a sign-in.

The button's script posts twice to the same URL: first for the options, with X-Requested-With, then with the passkey's
answer in the field `credential`. The second request is an ordinary form.
Source: docs/reference/security.md §5; docs/reference/console.md §3.12.
"""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from config.accounts import origin, passkeys, relying_party, single_sign_on
from config.accounts.models import Passkey
from config.accounts.relying_party import NotAccepted
from config.accounts.sessions import account_of
from config.console import recent_sign_in, sign_in
from config.console.passkeys import challenges
from config.console.passkeys.challenges import ChallengeOver, Purpose
from config.console.referrers import keeps_query_private

NOT_ACCEPTED = "This passkey was not accepted. Try again, or sign in another way."
TOO_LATE = "The passkey was not used within 5 minutes. Try again."
NO_PASSWORD = "Choose a password before you sign in with a passkey alone. Use the link in your invite."  # noqa: S105


class Rejected(Exception):
    """The person is not let in. The text is for the person."""


def wants_options(request: HttpRequest) -> bool:
    """Return whether the script asks for the browser's options."""
    return "X-Requested-With" in request.headers


@sensitive_post_parameters("credential")
@keeps_query_private
@require_POST
def sign_in_alone(request: HttpRequest) -> HttpResponse:
    """Sign in with a passkey that the browser finds. The device verifies the person, so no password is needed."""
    if wants_options(request):
        return _options(request, Purpose.SIGN_IN, [], is_alone=True)
    try:
        user = (passkey := _proved(request, Purpose.SIGN_IN, is_alone=True)).user
        if not user.has_usable_password():
            raise Rejected(_other_way())
    except Rejected as rejection:
        return _back(request, "admin:login", rejection)
    if sign_in.is_locked_here(request, user):
        return sign_in.locked_page(request)
    user.backend = settings.AUTHENTICATION_BACKENDS[-1]
    sign_in.let_in(request, user, passkey, way="passkey alone")
    return HttpResponseRedirect(recent_sign_in.way_back(request))


@sensitive_post_parameters("credential")
@keeps_query_private
@require_POST
def second_step(request: HttpRequest) -> HttpResponse:
    """Finish a sign-in whose password was right, with a passkey instead of a code."""
    user = sign_in.pending_user(request)
    if user is None:
        return _to(request, "admin:login")
    if sign_in.is_locked_here(request, user):
        return sign_in.locked_page(request)
    if wants_options(request):
        return _options(request, Purpose.SECOND_STEP, list(passkeys.of_account(user)), is_alone=False)
    try:
        passkey = _proved(request, Purpose.SECOND_STEP, of=user, is_alone=False)
    except Rejected as rejection:
        return _back(request, "sign-in-code", rejection)
    sign_in.let_in(request, user, passkey, way="passkey")
    return HttpResponseRedirect(recent_sign_in.way_back(request))


@sensitive_post_parameters("credential")
@require_POST
def confirm(request: HttpRequest) -> HttpResponse:
    """Confirm a sign-in with a passkey instead of password and code, and return to the page that required it."""
    user = account_of(request)
    if sign_in.is_locked_here(request, user):
        return sign_in.locked_page(request)
    if wants_options(request):
        return _options(request, Purpose.CONFIRM, list(passkeys.of_account(user)), is_alone=True)
    try:
        _proved(request, Purpose.CONFIRM, of=user, is_alone=True)
    except Rejected as rejection:
        return _back(request, "admin:confirm", rejection)
    recent_sign_in.remember(request)
    return HttpResponseRedirect(recent_sign_in.way_back(request))


def _options(request: HttpRequest, purpose: Purpose, known: list[Passkey], *, is_alone: bool) -> HttpResponse:
    challenge = challenges.begin(request, purpose)
    console = origin.of_console(request)
    return JsonResponse(relying_party.request_options(console, challenge.value, known, is_alone=is_alone))


def _proved(request: HttpRequest, purpose: Purpose, *, of: User | None = None, is_alone: bool) -> Passkey:
    """Return the passkey that has signed the challenge. Raises Rejected. A wrong answer counts as a wrong password."""
    try:
        challenge = challenges.take(request, purpose)
    except ChallengeOver as error:
        raise Rejected(TOO_LATE) from error
    answer, console = request.POST.get("credential", ""), origin.of_console(request)
    try:
        return relying_party.prove(console, challenge.value, answer, of=of, is_alone=is_alone)
    except NotAccepted as error:
        name = error.user.get_username() if error.user else ""
        user_login_failed.send(__name__, credentials={"username": name}, request=request)
        raise Rejected(NOT_ACCEPTED) from error


def _other_way() -> str:
    """Return how a person without a password signs in: a passkey alone follows the same rule as a password."""
    return f"Sign in with {settings.OIDC_NAME}." if single_sign_on.is_on() else NO_PASSWORD


def _back(request: HttpRequest, page: str, rejection: Rejected) -> HttpResponse:
    messages.error(request, str(rejection))
    return _to(request, page)


def _to(request: HttpRequest, page: str) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse(page)}?{urlencode({'next': recent_sign_in.way_back(request)})}")
