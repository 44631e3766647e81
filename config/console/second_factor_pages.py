"""The pages that set up an authenticator app and create recovery codes. The POST that creates a secret shows it once.

Source: docs/reference/console.md §1.2 T4, §3.12; docs/reference/security.md §5.
"""

from typing import Any

import django_otp
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import mark_safe
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from config.accounts import second_factor, sessions
from config.accounts.models import TotpDevice
from config.accounts.sessions import account_of
from config.console import recent_sign_in, shown_once, sign_in_audit
from config.console.my_account import page
from config.console.shown_once import AlreadyShown
from config.console.sign_in import WRONG_CODE, CodeForm


class FirstCodeForm(CodeForm):
    """The first code of an app. A recovery code is not accepted."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].help_text = "Six digits. They change every 30 seconds."


@sensitive_post_parameters("code")
@require_http_methods(["GET", "POST"])
def enrol(request: HttpRequest) -> HttpResponse:
    """Explain the second factor, show a new secret, check its first code, and show the recovery codes."""
    if not recent_sign_in.is_recent(request):
        return recent_sign_in.ask(request)
    try:
        if request.POST.get("step") == "begin":
            return _begin(request)
        if request.POST.get("step") == "confirm":
            return _confirm(request)
    except AlreadyShown:
        return already_shown(request)
    device, factor = second_factor.device_of(account_of(request)), second_factor.of_account(account_of(request))
    return _page(request, "explain", device=device, has_factor=factor is not None)


@require_http_methods(["GET", "POST"])
def renew_recovery_codes(request: HttpRequest) -> HttpResponse:
    """Replace the recovery codes with new ones and show them."""
    if not recent_sign_in.is_recent(request):
        return recent_sign_in.ask(request)
    if second_factor.of_account(account_of(request)) is None:
        return _page(request, "explain", device=None)
    if request.method == "POST":
        try:
            with transaction.atomic():
                shown_once.spend(request)
                codes = second_factor.new_recovery_codes(account_of(request))
                sign_in_audit.note(request, account_of(request), "made_recovery_codes")
        except AlreadyShown:
            return already_shown(request)
        return codes_page(request, codes)
    left = second_factor.recovery_codes_left(account_of(request))
    explanation = [f"You have {left} unused recovery codes. New codes replace them, and the old ones stop working."]
    context: dict[str, Any] = {"explanation": explanation, "button": "Create recovery codes"}
    return page(request, "admin/action.html", "New recovery codes", nonce=shown_once.new_nonce(request), **context)


def _begin(request: HttpRequest) -> HttpResponse:
    with transaction.atomic():
        shown_once.spend(request)
        device = second_factor.begin(account_of(request))
    qr_code = mark_safe(second_factor.qr_code(device, account_of(request)))  # noqa: S308  contains no user input
    return _page(request, "scan", qr_code=qr_code, secret=second_factor.spelled(device), form=FirstCodeForm())


def _confirm(request: HttpRequest) -> HttpResponse:
    if shown_once.is_spent(request):
        raise AlreadyShown
    form = FirstCodeForm(request.POST)
    device: TotpDevice | None = None
    codes: list[str] = []
    with transaction.atomic():
        is_renewed = second_factor.device_of(account_of(request)) is not None
        if form.is_valid():
            device = second_factor.confirm(account_of(request), form.cleaned_data["code"])
        if device is not None:
            shown_once.spend(request)
            codes = second_factor.new_recovery_codes(account_of(request))
            django_otp.login(request, device)  # type: ignore[no-untyped-call]
            request.session.cycle_key()
            sessions.end_all(account_of(request).pk, but=request.session)
            verb = "replaced_second_factor" if is_renewed else "enrolled_second_factor"
            sign_in_audit.note(request, account_of(request), verb)
    if device is None:
        if form.is_valid():
            form.add_error("code", WRONG_CODE)
        return _page(request, "scan", form=form)
    return codes_page(request, codes)


def _page(request: HttpRequest, part: str, **context: Any) -> HttpResponse:
    context |= {"part": part, "is_demanded": second_factor.is_demanded(), "nonce": shown_once.new_nonce(request)}
    return page(request, "admin/second_factor.html", "Second factor", **context)


def codes_page(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return page(request, "admin/recovery_codes.html", "Your recovery codes", codes="\n".join(codes))


def already_shown(request: HttpRequest) -> HttpResponse:
    return page(request, "admin/already_shown.html", "Already shown", status=409)
