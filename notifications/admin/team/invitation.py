"""The page of an invite: create an account, or join with the account that is signed in.

It is open to people without an account. Only the holder of the link decides which account joins: a typed email
address never gives one person's roles to another account. Source: docs/reference/console.md §2.7.
"""

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from config import audit
from config.accounts import account_name, invites, lookup
from config.accounts.invite import Invite
from config.audit import Actor
from config.audit.models import ActorKind
from config.console import password_fields, sign_in, user_forms
from config.console.referrers import keeps_query_private
from config.console.theme import TextInput
from config.databases.races import again_if_raced
from config.web.ip_addresses import client_ip
from notifications.models import TeamMember


class AccountForm(forms.Form):
    """User name, and password twice."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=TextInput(attrs={"autocomplete": "username", "autocapitalize": "off", "spellcheck": "false"}),
        help_text="For example m.patel. You can also sign in with your email address.",
    )
    password = password_fields.field("Password")
    again = password_fields.again("Repeat password")

    def __init__(self, *args: Any, member: TeamMember, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.member = member

    def clean_username(self) -> str:
        return user_forms.unused_name(self.cleaned_data["username"], email=self.member.email_address)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if lookup.is_taken(self.member.email_address):
            raise forms.ValidationError(
                "An account with your email address already exists. Sign in with it, then open this link again."
            )
        password_fields.check(self, "password", self.unsaved())
        return cleaned

    def unsaved(self) -> User:
        name = self.cleaned_data.get("username", "")
        return User(username=name, email=self.member.email_address, is_staff=True)


@never_cache
@keeps_query_private
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest) -> HttpResponse:
    """Show the invite, and on POST accept it.

    An account may open the links of several invites of a service at the same time. A constraint lets one of them link
    the account, and the others show that the person is in the team.
    """
    return again_if_raced(partial(_accept, request))


def _accept(request: HttpRequest) -> HttpResponse:
    with transaction.atomic():
        invite = invites.find_live(request.GET.get("token", ""))
        member = _member_of(invite)
        if invite is None or member is None:
            return _page(request, "invite_over.html", "This link does not work", status=404)
        if isinstance(request.user, User):
            return _join(request, invite, member, request.user)
        form = AccountForm(request.POST if request.method == "POST" else None, member=member)
        if not form.is_valid() or not invites.spend(invite):
            return _page(request, "invite.html", "Welcome", member=member, form=form)
        user = form.unsaved()
        user.set_password(form.cleaned_data["password"])
        user.save()
        account_name.claim(user)
        _link(request, member, user)
    answer = sign_in.enter(request, user)
    messages.success(request, f"Your account is created. You are now in the team of {member.service.name}.")
    return answer


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def accept_from_path(request: HttpRequest, token: str) -> HttpResponse:
    """Redirect an invite link of an earlier version, which had its secret in the path and is valid for 7 days."""
    return HttpResponseRedirect(reverse("admin:accept_invite", query={"token": token}))


def _join(request: HttpRequest, invite: Invite, member: TeamMember, user: User) -> HttpResponse:
    """Add the signed-in account to the team when the person confirms."""
    is_in = TeamMember.objects.filter(service_id=member.service_id, user_id=user.pk).exists()
    if request.method != "POST" or is_in or not invites.spend(invite):
        return _page(request, "invite.html", "Welcome", member=member, joins_as=user, is_in=is_in)
    if not user.is_staff:
        User.objects.filter(pk=user.pk).update(is_staff=True)
    _link(request, member, user)
    messages.success(request, f"You are now in the team of {member.service.name}.")
    return HttpResponseRedirect(reverse("admin:index"))


def _member_of(invite: Invite | None) -> TeamMember | None:
    """Return the member of an invite if they have no account yet, else None."""
    if invite is None or invite.member_id is None:
        return None
    members = TeamMember.objects.select_for_update(of=("self",)).select_related("service")
    return members.filter(pk=invite.member_id, user=None).first()


def _link(request: HttpRequest, member: TeamMember, user: User) -> None:
    TeamMember.objects.filter(pk=member.pk).update(user=user)
    name = user.get_username()
    actor = Actor(kind=ActorKind.USER, id=str(user.pk), label=name, ip_address=client_ip(request))
    audit.record(actor, "accepted_the_invite_of", member, after={"username": name, "roles": member.roles})


def _page(request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any) -> HttpResponse:
    frame = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, f"admin/notifications/{template}", frame, status=status)
