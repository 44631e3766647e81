"""The team of a service: people it may always reach, and with an account and roles, people who work in it.

The page that removes a person shows what they lose. A change of roles ends their sessions.
Source: docs/reference/console.md §2.7.
"""

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import audit
from config.accounts import invites, sessions
from config.accounts.invite import Invite
from config.audit import changes
from config.console import cells, shown_once
from config.console.admin import Button, ShownOnceAdmin
from config.console.admin.columns import column
from config.console.shown_once import Secret
from config.queue import publishing
from notifications import tasks
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.admin.team import invitation
from notifications.admin.team.forms import SOMEONE_MUST_MANAGE, NewTeamMemberForm, RolesForm, TeamMemberForm
from notifications.delivery import own_email
from notifications.models import Role, TeamMember
from notifications.recipients import phone

_EXPLANATION = (
    "Send this link to the person yourself. It works once, within 7 days. The person chooses a user name and a "
    "password, or signs in with an existing account. Anybody with the link can use it."
)


@admin.register(TeamMember)
class TeamMemberAdmin(ShownOnceAdmin, ServiceRowAdmin):
    change_roles = frozenset({Role.MANAGE_SERVICE})
    list_display = ("shown_email_address", "called", "account", "held_roles", "added")
    list_select_related = ("service", "user")
    ordering = ("created_at",)
    create_verb = "Add"
    form = TeamMemberForm
    add_form = NewTeamMemberForm
    fields = ("service", "email_address", "phone_number", "account", "held_roles", "added")
    add_fields = ("service", "email_address", "phone_number", "roles")
    editable = frozenset({"email_address", "phone_number"})
    row_actions = {"roles": "set_roles", "invite": "invite", "link": "show_link", "remove": "remove"}
    protected_actions = frozenset({"roles", "invite", "link", "remove"})
    empty = "No team members yet. The service can always send to its team, even while it is in trial."

    def get_urls(self) -> list[URLPattern]:
        """Add the page that accepts an invite, which is open to people without an account."""
        ours = [
            path("join/", invitation.accept, name="accept_invite"),
            path("join/<str:token>/", invitation.accept_from_path),
        ]
        return [*ours, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> Any:
        open_invite = Invite.objects.live().filter(member_id=OuterRef("pk"))
        rows = super().get_queryset(request)
        return rows.annotate(
            is_invited=Exists(open_invite),
            is_invite_on_its_way=Exists(open_invite.exclude(mail_at=None)),
            is_invite_undelivered=Exists(open_invite.exclude(undelivered_at=None)),
        )

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Invite people who get a role: they need an account to use it."""
        if not change:
            obj.roles = form.cleaned_data["roles"]
        super().save_model(request, obj, form, change)
        if not change and obj.roles:
            (self._mail_link if own_email.can_reach_people() else self._make_link)(request, obj)

    def buttons(self, request: HttpRequest, obj: TeamMember) -> list[Button]:
        link = [Button("Show the link instead…", "link")] if own_email.can_reach_people() else []
        invite = [] if obj.user_id else [Button("Invite…", "invite"), *link]
        return [Button("Change roles…", "roles"), *invite, Button("Remove…", "remove", tone="ending")]

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        if getattr(obj, "link", ""):
            return self.secret_page(request, obj)
        if obj.roles:
            return self._mail_is_on_its_way(request, obj)
        return self.action_done(
            request, self.list_url(), f"{obj.email_address} is in the team and only receives messages."
        )

    def secret_of(self, request: HttpRequest, obj: Any) -> Secret:
        return Secret(
            kind="Invite link",
            name=obj.email_address,
            done=f"An invite link for {obj.email_address} is created.",
            value=obj.link,
            explanation=_EXPLANATION,
            where_next=("Go to the team", self.list_url()),
        )

    def already_shown_page(self, request: HttpRequest) -> HttpResponse:
        """Do not mention a secret if the form, submitted twice, has mailed the link."""
        if not own_email.can_reach_people() or request.path.endswith("/link/"):
            return super().already_shown_page(request)
        return self.action_done(request, self.list_url(), "You have already sent this form. The invite is created.")

    # Steps

    def set_roles(self, request: HttpRequest, member: TeamMember) -> HttpResponse:
        form = RolesForm(posted(request), member=member)
        if request.method == "POST" and form.is_valid():
            roles = form.cleaned_data["roles"]
            if set(roles) != set(member.roles):
                self._store_roles(request, member, roles)
            return self.action_done(request, self.row_url(member), f"Roles of {member.title} saved.")
        ends = "If the roles change, this person is signed out everywhere and has to sign in again."
        return self.action_page(
            request,
            member,
            f"Roles of {member.title}",
            "Save roles",
            [ends]
            if member.user_id
            else ["This person has no account yet. The roles take effect when they accept the invite."],
            form=form,
        )

    def invite(self, request: HttpRequest, member: Any) -> HttpResponse:
        """Mail the invite link, or show it if the service cannot send email."""
        if not own_email.can_reach_people():
            return self.show_link(request, member)
        if member.user_id is not None:
            return self._has_account(request, member)
        if request.method == "POST":
            shown_once.spend(request)
            self._mail_link(request, member)
            return self._mail_is_on_its_way(request, member)
        what = f"{member.title} will get an email with a link. The link works once, within 7 days."
        return self._ask_to_invite(request, member, what, button="Send invite")

    def show_link(self, request: HttpRequest, member: Any) -> HttpResponse:
        if member.user_id is not None:
            return self._has_account(request, member)
        if request.method == "POST":
            shown_once.spend(request)
            self._make_link(request, member)
            return self.secret_page(request, member)
        what = "The next page shows a link for this person. The link works once, within 7 days."
        return self._ask_to_invite(request, member, what, button="Create link")

    def remove(self, request: HttpRequest, member: TeamMember) -> HttpResponse:
        title = f"Remove {member.title}"
        if member.is_last_manager():
            return self.error_page(request, member, title, SOMEONE_MUST_MANAGE)
        if request.method == "POST":
            who, name = member.user_id, member.title
            self.audit(request, "removed", member, before=changes.snapshot(member))
            invites.end(member_id=member.pk)
            member.delete()
            _sign_out(request, who)
            return self.action_done(request, self.list_url(), f"{name} is no longer in the team.")
        return self.action_page(request, member, title, "Remove from team", _losses(member), is_destructive=True)

    def _has_account(self, request: HttpRequest, member: TeamMember) -> HttpResponse:
        return self.error_page(request, member, f"Invite {member.title}", "This person already has an account.")

    def _ask_to_invite(self, request: HttpRequest, member: Any, what: str, *, button: str) -> HttpResponse:
        explanation = [what, *(["The earlier link stops working."] if member.is_invited else [])]
        title, nonce = f"Invite {member.title}", shown_once.new_nonce(request)
        return self.action_page(request, member, title, button, explanation, nonce=nonce)

    def _mail_link(self, request: HttpRequest, member: TeamMember) -> None:
        """Let a worker create and mail the link, so that staff never see it."""
        invite_id = invites.make_to_mail(member_id=member.pk, by=audit.author(request))
        self.audit(request, "invited", member)
        publishing.enqueue(tasks.mail_invite, str(invite_id))

    def _mail_is_on_its_way(self, request: HttpRequest, member: TeamMember) -> HttpResponse:
        message = f"The invite to {member.title} is being sent. You can also show the link here."
        return self.action_done(request, self.row_url(member), message)

    def _make_link(self, request: HttpRequest, member: Any) -> None:
        """Set the link as an attribute of the row object. It is shown once and not stored."""
        token = invites.make(member_id=member.pk, by=audit.author(request))
        member.link = invites.link_to("admin:accept_invite", token)
        self.audit(request, "invited", member)

    def _store_roles(self, request: HttpRequest, member: TeamMember, roles: list[str]) -> None:
        TeamMember.objects.filter(pk=member.pk).update(roles=roles)
        self.audit(request, "changed_roles_of", member, before={"roles": member.roles}, after={"roles": roles})
        _sign_out(request, member.user_id)

    # Columns

    shown_email_address = column("Email address", lambda one: cells.breakable(one.title), ordering="email_address")
    called = column("Phone", lambda member: phone.displayed(member.phone_number) or "–")

    @admin.display(description="Account")
    def account(self, member: Any) -> SafeString:
        if member.user is not None and member.user.is_active:
            seen = member.user.last_login
            since = format_html("last sign-in {}", cells.moment(seen)) if seen else "not signed in yet"
            return cells.two_lines(cells.chip("Active", "good"), since)
        if member.user is not None:
            return cells.chip("Deactivated", "bad")
        if member.is_invite_undelivered:
            return cells.two_lines(cells.chip("Invite not delivered", "bad"), "The email was refused. Invite again.")
        if member.is_invite_on_its_way:
            return cells.two_lines(cells.chip("Invited", "warn"), "the email is being sent")
        return cells.chip("Invited", "warn") if member.is_invited else cells.chip("Receives only")

    @admin.display(description="Roles")
    def held_roles(self, member: TeamMember) -> SafeString | str:
        held = [role.label for role in Role if role in member.roles]
        return format_html('<span class="sb-wrap">{}</span>', cells.chips(held, "accent")) if held else "–"

    added = column("Added", lambda member: cells.moment_by(member.created_at, member.created_by))


def _losses(member: TeamMember) -> list[str]:
    """Return what a person can no longer do after the removal."""
    held = [role.label for role in Role if role in member.roles]
    lost = f"They lose these roles and are signed out everywhere: {', '.join(held)}." if held and member.user_id else ""
    reach = "The service can no longer send to them in trial or with a team key."
    stays = "They keep their account and their other services." if member.user_id else ""
    return [sentence for sentence in (lost, reach, stays) if sentence]


def _sign_out(request: HttpRequest, user_id: int | None) -> None:
    """End the person's sessions. A person who changes their own roles keeps the current session."""
    if user_id is not None:
        own = request.session if user_id == request.user.pk else None
        sessions.end_all(user_id, but=own)
