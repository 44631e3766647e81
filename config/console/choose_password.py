"""The page where the holder of a link chooses the password of an account. Source: docs/reference/console.md §2.19.

The page is open to people who are not signed in. The token is in the query string, which Signalbox does not log, and
works once.
"""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from config.accounts import invites, sessions
from config.console import pages, password_fields, sign_in, sign_in_audit
from config.console.referrers import keeps_query_private


class NewPasswordForm(forms.Form):
    """A password, twice."""

    password = password_fields.field()
    again = password_fields.again()

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        password_fields.check(self, "password", self.user)
        return cleaned


@never_cache
@keeps_query_private
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """Show the form. On POST set the password and sign in; the next page asks for a second factor if there is one."""
    invite = invites.find_live(request.GET.get("token", ""))
    user = User.objects.filter(pk=invite.user_id or 0, is_active=True).first() if invite else None
    if invite is None or user is None:
        return _link_over(request)
    form = NewPasswordForm(request.POST if request.method == "POST" else None, user=user)
    if not form.is_valid():
        known: dict[str, Any] = {"account": user.username, "email": user.email}
        return pages.show(request, "admin/choose_password.html", "Choose a password", form=form, **known)
    with transaction.atomic():
        if not invites.spend(invite):
            return _link_over(request)
        invites.end(user_id=user.pk)
        user.set_password(form.cleaned_data["password"])
        user.save(update_fields=["password"])
        sessions.end_all(user.pk)
        sign_in_audit.note(request, user, "chose_password")
    answer = sign_in.enter(request, user)
    messages.success(request, "Your password is set.")
    return answer


def _link_over(request: HttpRequest) -> HttpResponse:
    return pages.show(request, "admin/link_over.html", "This link does not work", status=404)
