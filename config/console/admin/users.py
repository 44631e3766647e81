"""The accounts of the console, for operators. Accounts are deactivated, never deleted.

Source: docs/reference/console.md §2.19.
"""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import audit, formats
from config.accounts import account_name, identities, invites, passkeys, scope, second_factor, sessions
from config.console import cells, recent_sign_in, shown_once, switcher
from config.console.admin.columns import column
from config.console.admin.model_admin import OpenTo
from config.console.admin.row_actions import Button, methods
from config.console.admin.secret_admin import ShownOnceAdmin
from config.console.shown_once import Secret
from config.console.user_forms import InviteForm, PermissionsForm, manages_data_sets, permission_to_manage

admin.site.unregister(Group)
admin.site.unregister(User)

_PERMISSIONS = ("is_active", "is_superuser")
_LINK_HELP = "Send this link to the person over a secure channel. It works once, within 7 days."


@admin.register(User)
class ConsoleUserAdmin(OpenTo, ShownOnceAdmin):
    people = scope.is_operator
    masked_fields = ("email", "first_name", "last_name")
    list_display = ("who", "full_name", "email", "active", "operator", "manages", "services", "last_sign_in")
    list_filter = ("is_active", "is_superuser")
    ordering = ("username",)
    add_form = InviteForm
    add_fields = ("email", "username")
    form = PermissionsForm
    row_actions = methods("link", "end-sessions", "reset-second-factor", "remove-passkeys", "unlink-provider")
    protected_actions = frozenset(row_actions)
    empty = "No accounts yet. A person needs an account to sign in."

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("user_permissions")

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Read the services of all accounts on the page with one query."""
        page: ChangeList = super().get_changelist_instance(request)
        names = switcher.services_of([user.pk for user in page.result_list])
        for user in page.result_list:
            user.service_names = names.get(user.pk, [])
        return page

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        link = [Button("Create link to choose a password…", "link")] if obj.is_active else []
        others = Button("End sessions…", "end-sessions"), Button("Reset second factor…", "reset-second-factor")
        more = [Button("Remove passkeys…", "remove-passkeys")] if passkeys.of_account(obj).exists() else []
        if identities.of_account(obj).exists():
            more.append(Button("Unlink from sign-in provider…", "unlink-provider"))
        return [*link, *others, *more]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.add_fields
        of_data = ("manages_data_sets",) if permission_to_manage() else ()
        return ("who", "full_name", "email", *_PERMISSIONS, *of_data, "services", "factor", "last_sign_in", "made")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else ("who", "full_name", "services", "factor", "last_sign_in", "made")

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        """Require a recent sign-in before permissions are changed."""
        if self.has_change_permission(request) and not recent_sign_in.is_recent(request):
            return recent_sign_in.ask(request)
        return super().change_view(request, object_id, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        with transaction.atomic():
            obj.is_staff = True  # lets the account sign in; its roles decide which pages it may open
            if not change:
                obj.set_unusable_password()
            super().save_model(request, obj, form, change)
            if {"email", "username"} & set(form.changed_data):
                account_name.claim(obj)
            if not change:
                self._invite(request, obj)
                return
            if {"email", "is_active"} & set(form.changed_data):
                invites.end(user_id=obj.pk)  # a link may be in the mailbox of the old email address
            if self._permissions_changed(request, obj, form):
                sessions.end_all(obj.pk, but=request.session)

    def secret_of(self, request: HttpRequest, obj: Any) -> Secret:
        return Secret(
            kind="Link to choose a password",
            name=obj.username,
            done=f"A link for {obj.username} to choose a password is created.",
            value=obj.link,
            explanation=_LINK_HELP,
            where_next=("Go to users", self.list_url()),
        )

    def link(self, request: HttpRequest, user: User) -> HttpResponse:
        """Create a new link for a person whose first link has expired or who has forgotten the password."""
        title = f"Create a link for {user.username}"
        if not user.is_active:
            return self.error_page(request, user, title, "This account is not active. Turn on Active first.")
        if request.method == "POST":
            shown_once.spend(request)
            self._invite(request, user)
            return self.secret_page(request, user)
        explanation = [
            f"The link lets {user.username} choose a password. It works once, within 7 days. Earlier links end.",
            "The current password works until then. The second factor stays on.",
        ]
        nonce = shown_once.new_nonce(request)
        return self.action_page(request, user, title, "Create link", explanation, nonce=nonce)

    def end_sessions(self, request: HttpRequest, user: User) -> HttpResponse:
        if request.method == "POST":
            ended = sessions.end_all(user.pk, but=request.session)
            self._note(request, "ended_sessions", user, ended=ended)
            message = f"{formats.counted(ended, 'session')} of {user.username} ended."
            return self.action_done(request, self.row_url(user), message)
        explanation = [f"{user.username} is signed out on all devices and can sign in again."]
        if user.pk == request.user.pk:
            explanation = ["You are signed out everywhere except in this browser."]
        return self.action_page(request, user, f"End the sessions of {user.username}", "End sessions", explanation)

    def reset_second_factor(self, request: HttpRequest, user: User) -> HttpResponse:
        title = f"Reset the second factor of {user.username}"
        if second_factor.of_account(user) is None:
            return self.error_page(request, user, title, "This account has no second factor.")
        if request.method == "POST":
            second_factor.reset(user)
            sessions.end_all(user.pk, but=request.session)
            self._note(request, "reset_second_factor", user)
            return self.action_done(request, self.row_url(user), f"The second factor of {user.username} is removed.")
        explanation = [
            "The authenticator app, the passkeys and the recovery codes stop working, and all sessions end.",
            _without_factor(),
            "Check that the request comes from this person. Someone who stole the password would ask for the same.",
        ]
        return self.action_page(request, user, title, "Reset second factor", explanation, is_destructive=True)

    def remove_passkeys(self, request: HttpRequest, user: User) -> HttpResponse:
        """Remove all passkeys of a person, for example of a lost laptop. The app and the recovery codes stay."""
        title, number = f"Remove the passkeys of {user.username}", passkeys.of_account(user).count()
        if not number:
            return self.error_page(request, user, title, "This account has no passkeys.")
        if request.method == "POST":
            removed = passkeys.remove_all(user)
            sessions.end_all(user.pk, but=request.session)
            self._note(request, "removed_passkeys", user, passkeys=removed)
            message = f"{formats.counted(removed, 'passkey')} of {user.username} removed."
            return self.action_done(request, self.row_url(user), message)
        explanation = [f"{formats.counted(number, 'passkey')} of {user.username} will stop working. All sessions end."]
        if second_factor.device_of(user) is None:
            explanation += ["The account has no authenticator app, so its recovery codes stop working, too."]
            explanation += [_without_factor()]
        return self.action_page(request, user, title, "Remove passkeys", explanation, is_destructive=True)

    def unlink_provider(self, request: HttpRequest, user: User) -> HttpResponse:
        """Let the account accept another identity, for example after the person was created again at the provider."""
        title = f"Unlink {user.username} from the sign-in provider"
        if not identities.of_account(user).exists():
            return self.error_page(request, user, title, "This account has no identity at a sign-in provider.")
        if request.method == "POST":
            removed = identities.remove_all(user)
            sessions.end_all(user.pk, but=request.session)
            self._note(request, "unlinked_sign_on", user, identities=removed)
            return self.action_done(request, self.row_url(user), f"{user.username} is no longer linked.")
        explanation = [
            "All sessions end. The next person who signs in through the provider with this email address gets the "
            "account.",
            f"Check that the email address {user.email or '(none)'} still belongs to this person.",
        ]
        return self.action_page(request, user, title, "Unlink account", explanation, is_destructive=True)

    who = column("User name", lambda user: user.username, ordering="username")
    full_name = column("Name", lambda user: user.get_full_name() or "–", ordering="first_name")
    last_sign_in = column(
        "Last sign-in", lambda one: cells.moment(one.last_login, never="Never"), ordering="last_login"
    )
    made = column("Created", lambda user: cells.moment(user.date_joined))
    active = column(
        "Active",
        lambda user: cells.chip("Active", "good") if user.is_active else cells.chip("Inactive"),
        ordering="is_active",
    )
    operator = column(
        "Operator",
        lambda user: cells.chip("Operator", "accent") if user.is_superuser else "–",
        ordering="is_superuser",
    )
    manages = column(
        "Manages data sets",
        lambda user: "Yes, as operator" if user.is_superuser else "Yes" if manages_data_sets(user) else "–",
    )

    @admin.display(description="Services")
    def services(self, user: Any) -> str:
        names = getattr(user, "service_names", None)
        if names is None:
            names = switcher.services_of([user.pk]).get(user.pk, [])
        return ", ".join(names) or "–"

    @admin.display(description="Second factor")
    def factor(self, user: User) -> SafeString:
        """Return whether there is a second factor, and of which kinds."""
        number = passkeys.of_account(user).count()
        app = ["authenticator app"] if second_factor.device_of(user) else []
        kinds = [*app, *([formats.counted(number, "passkey")] if number else [])]
        if not kinds:
            return cells.chip("Off", "warn")
        return format_html("{} {}", cells.chip("On", "good"), " and ".join(kinds))

    def _invite(self, request: HttpRequest, user: Any) -> None:
        token = invites.make(by=audit.author(request), user_id=user.pk)
        # Not a column: only this response shows the link.
        user.link = invites.link_to("choose-password", token)
        self._note(request, "invited", user)

    def _note(self, request: HttpRequest, verb: str, user: User, **after: object) -> None:
        self.audit(request, verb, user, after={"username": user.username, **after})

    def _permissions_changed(self, request: HttpRequest, user: User, form: Any) -> bool:
        """Save the permission to manage data sets, and return whether any permission of the account has changed."""
        permission = permission_to_manage()
        if permission is not None and "manages_data_sets" in form.changed_data:
            manages = form.cleaned_data["manages_data_sets"]
            (user.user_permissions.add if manages else user.user_permissions.remove)(permission)
            before, after = {"manages_data_sets": not manages}, {"manages_data_sets": manages}
            self.audit(request, "changed", user, before={**before}, after={**after})
        return bool({*_PERMISSIONS, "manages_data_sets"} & set(form.changed_data))


def _without_factor() -> str:
    """Return what follows for an account that loses its second factor."""
    if second_factor.is_demanded():
        return "At the next sign-in the person has to set up a new second factor."
    return "Until the person sets up a new second factor, the password alone opens the account."
