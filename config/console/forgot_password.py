"""Ask for a link to choose a new password; it goes to the email address of the account. Source: Staff console §2.19.

The answer is the same whether there is such an account or not, and so is the work until it is given.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from config.accounts import lookup
from config.console import audit, invites, sign_in_audit
from config.console.invites import ASKED_FOR_IS_VALID_FOR, NETWORK_WINDOW, TooManyRequests
from config.console.theme import TextInput


class ForgottenForm(forms.Form):
    """What the sign-in asks for, without the password."""

    username = forms.CharField(
        label="Email address or user name",
        max_length=lookup.MAX_CHARACTERS,
        widget=TextInput(
            attrs={"autocomplete": "username", "autofocus": True, "autocapitalize": "off", "spellcheck": "false"}
        ),
    )


@never_cache
@sensitive_post_parameters("username")
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """Show the form, on POST have the link mailed, and then say what happens next."""
    if not invites.are_mailed():
        return _page(request, "no_mail")
    if "sent" in request.GET:
        return _page(request, "sent")
    form = ForgottenForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(request, "form", form=form)
    user = lookup.find(form.cleaned_data["username"])
    try:
        invites.ask_for_link(user.pk if user else None, audit.client_network(request))
    except TooManyRequests:
        answer = _page(request, "wait", status=429, minutes=NETWORK_WINDOW.seconds // 60)
        answer["Retry-After"] = str(NETWORK_WINDOW.seconds)
        return answer
    sign_in_audit.note_stranger(request, form.cleaned_data["username"], "asked_for_password")
    return HttpResponseRedirect(reverse("forgot-password", query={"sent": ""}))


def _page(request: HttpRequest, part: str, *, status: int = 200, **context: Any) -> HttpResponse:
    frame = {**admin.site.each_context(request), "title": "Forgot your password?", "part": part}
    minutes = {"valid_minutes": ASKED_FOR_IS_VALID_FOR.seconds // 60}
    return TemplateResponse(request, "admin/forgot_password.html", {**frame, **minutes, **context}, status=status)
