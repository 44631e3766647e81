"""The page that mails a link to choose a new password. Source: docs/reference/console.md §2.19.

The response, and the time it takes, are the same whether the account exists or not.
"""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from config.accounts import invites, lookup
from config.accounts.invites import NETWORK_WINDOW, REQUESTED_VALID_FOR, TooManyRequests
from config.console import pages, sign_in_audit
from config.console.sign_in import name_field
from config.web.ip_addresses import client_network


class ForgottenForm(forms.Form):
    """The email address or user name of the account."""

    username = name_field(max_length=lookup.MAX_CHARACTERS)


@never_cache
@sensitive_post_parameters("username")
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """Show the form. On POST mail the link and redirect to a page that explains what to do next."""
    if not invites.are_mailed():
        return _page(request, "no_mail")
    if "sent" in request.GET:
        return _page(request, "sent")
    form = ForgottenForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(request, "form", form=form)
    user = lookup.find(form.cleaned_data["username"])
    try:
        invites.ask_for_link(user.pk if user else None, client_network(request))
    except TooManyRequests:
        answer = _page(request, "wait", status=429, minutes=NETWORK_WINDOW.seconds // 60)
        answer["Retry-After"] = str(NETWORK_WINDOW.seconds)
        return answer
    sign_in_audit.note_stranger(request, form.cleaned_data["username"], "asked_for_password")
    return HttpResponseRedirect(reverse("forgot-password", query={"sent": ""}))


def _page(request: HttpRequest, part: str, *, status: int = 200, **context: Any) -> HttpResponse:
    context |= {"part": part, "valid_minutes": REQUESTED_VALID_FOR.seconds // 60}
    return pages.show(request, "admin/forgot_password.html", "Forgot your password?", status=status, **context)
