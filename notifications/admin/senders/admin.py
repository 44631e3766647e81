"""Text message senders and reply-to addresses. A service has one default of each; removed rows stay archived.

Source: docs/reference/console.md §2.5, §2.6.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from config import audit, formats
from config.audit import titles
from config.console import cells
from config.console.admin import Button
from config.console.admin.columns import column
from config.console.admin.row_actions import methods
from config.console.theme import Select
from config.queue import publishing
from notifications import tasks
from notifications.admin import permissions
from notifications.admin.senders.forms import ReplyToForm, SmsSenderForm, lock_service
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.admin.services.forms import ReasonForm
from notifications.delivery import reply_to_checks
from notifications.models import Permission, ReplyToAddress, ReplyToState, Role, Service, SmsSender
from notifications.submission import kept_use
from notifications.validation import services

_IS_CONFIRMED = "This reply-to address is already confirmed."
_TONES = {
    ReplyToState.CHECKING: "accent",
    ReplyToState.CONFIRMED: "good",
    ReplyToState.BOUNCED: "bad",
    ReplyToState.UNCHECKED: "",
}


class DefaultedAdmin(ServiceRowAdmin):
    """Admin of rows of which a service has one default."""

    change_roles = frozenset({Role.MANAGE_SERVICE, Role.MANAGE_API})
    row_actions = {"make-default": "make_default", "remove": "remove"}
    create_verb = "Add"
    editable = frozenset()  # a new text needs a new row with its own id
    text_field = ""
    message_field = ""  # the message column that refers to such a row

    class Media:
        css = {"all": ("notifications/messages.css",)}

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(archived_at=None)

    added = column("Added", lambda row: cells.moment_by(row.created_at, row.created_by), ordering="created_at")
    used = column("Last used", lambda row: cells.moment(row.last_used_at, never="Never"), ordering="last_used_at")
    id_to_copy = column("ID", lambda row: cells.copied(str(row.pk), f"row-{row.pk}"))
    default = column("Default", lambda row: cells.chip("★ default", "accent") if row.is_default else "No")

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        make_default = [] if obj.is_default else [Button("Make default…", "make-default")]
        return [*make_default, Button("Remove…", "remove", tone="ending")]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Make the first row the default. Clear the former default before setting a new one."""
        lock_service(obj.service_id)
        others = self._others(obj)
        obj.is_default = obj.is_default or not others.filter(is_default=True).exists()
        if obj.is_default:
            others.update(is_default=False)
        super().save_model(request, obj, form, change)

    def make_default(self, request: HttpRequest, row: Any) -> HttpResponse:
        if request.method == "POST":
            lock_service(row.service_id)
            self._others(row).update(is_default=False)
            type(row).objects.filter(pk=row.pk).update(is_default=True)
            self.audit(request, "made_default", row, before={"is_default": False}, after={"is_default": True})
            return self.action_done(request, self.list_url(), f"{titles.whole(row)} is now the default.")
        explanation = [f"Messages use {titles.whole(row)} unless they name another {self.opts.verbose_name}."]
        return self.action_page(request, row, f"Make {titles.whole(row)} the default", "Make default", explanation)

    def remove(self, request: HttpRequest, row: Any) -> HttpResponse:
        """Show the last use and the keys, then archive the row. If it is the default, ask for the next default."""
        lock_service(row.service_id)
        row.refresh_from_db()
        error = "Somebody has just removed it." if row.archived_at else self.removal_error(row)
        others = self._others(row)
        form = FollowerForm(posted(request), followers=others) if row.is_default and others.exists() else None
        title = f"Remove {titles.whole(row)}"
        if error:
            return self.error_page(request, row, title, error)
        if request.method == "POST" and (form is None or form.is_valid()):
            row.is_default = False
            row.archived_at = timezone.now()
            row.save(update_fields=["is_default", "archived_at"])
            if form is not None:
                form.cleaned_data["follower"].is_default = True
                form.cleaned_data["follower"].save(update_fields=["is_default"])
            self.audit(
                request, "removed", row, before={self.text_field: getattr(row, self.text_field), "is_default": True}
            )
            return self.action_done(request, self.list_url(), f"{titles.whole(row)} is removed.")
        used = formats.spoken(row.last_used_at) if row.last_used_at else "never"
        explanation = [
            f"Last used: {used}.",
            kept_use.keys(row.service_id, self.message_field, [row.pk]).sentence(row.pk),
            "Calls that name its ID are then refused.",
        ]
        return self.action_page(
            request, row, title, f"Remove {self.opts.verbose_name}", explanation, form=form, is_destructive=True
        )

    def removal_error(self, row: Any) -> str:
        """Return why this row cannot be removed, or ""."""
        raise LookupError(f"{type(self).__name__} must define which row has to stay")

    def _others(self, row: Any) -> Any:
        return type(row).objects.filter(service=row.service, archived_at=None).exclude(pk=row.pk)


class FollowerForm(forms.Form):
    """The row that becomes the default after the removal."""

    follower: Any = forms.ModelChoiceField(queryset=None, label="New default", empty_label=None, widget=Select)

    def __init__(self, *args: Any, followers: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["follower"]
        field.queryset, field.label_from_instance = followers, titles.whole


@admin.register(SmsSender)
class SmsSenderAdmin(DefaultedAdmin):
    change_form_template = "admin/notifications/sms_sender_change_form.html"
    form = SmsSenderForm
    text_field = "sender"
    fields = ("service", "shown_sender", "default", "id_to_copy", "used", "added")
    add_fields = ("service", "sender", "is_default")
    message_field = "sms_sender"
    list_display = ("shown_sender", "default", "id_to_copy", "used", "added")
    empty = "No text message sender. Every service has one that its messages come from."

    shown_sender = column("Sender", str, ordering="sender")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.may_protect = permissions.is_operator(request)
        return form

    def removal_error(self, row: SmsSender) -> str:
        return "" if self._others(row).exists() else "A service always has one text message sender. Add another first."


@admin.register(ReplyToAddress)
class ReplyToAddressAdmin(DefaultedAdmin):
    form = ReplyToForm
    text_field = "email_address"
    fields = ("service", "email_address", "default", "checked", "id_to_copy", "used", "added")
    add_fields = ("service", "email_address", "is_default")
    message_field = "reply_to"
    list_display = ("email_address", "default", "checked", "id_to_copy", "used", "added")
    list_filter = ("state",)
    row_actions = {**DefaultedAdmin.row_actions, **methods("send-confirmation", "confirm-outside")}
    empty = "No reply-to address. One is needed before this service goes live."

    @admin.display(description="Confirmed")
    def checked(self, row: ReplyToAddress) -> SafeString:
        chip = cells.chip(row.get_state_display(), _TONES[ReplyToState(row.state)])
        if row.confirmed_at is None:
            return chip
        return cells.two_lines(chip, f"{formats.on(row.confirmed_at)}, by {row.confirmed_by or 'link'}")

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        if obj.state == ReplyToState.CONFIRMED:
            return super().buttons(request, obj)
        own = [
            Button("Send confirmation email…", "send-confirmation"),
            Button("Confirm without email…", "confirm-outside"),
        ]
        return [*own, *super().buttons(request, obj)]

    def may_do(self, request: HttpRequest, word: str, obj: Any) -> bool:
        """Reserve confirming without the link for operators."""
        if word == "confirm-outside":
            return permissions.is_operator(request)
        return super().may_do(request, word, obj)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Email a link to a new address. The address of an existing row cannot change."""
        if not change:
            reply_to_checks.begin(obj)
        super().save_model(request, obj, form, change)
        if not change:
            publishing.enqueue(tasks.mail_notice, "reply-to", str(obj.pk))

    def send_confirmation(self, request: HttpRequest, row: ReplyToAddress) -> HttpResponse:
        title = f"Confirm {row.email_address}"
        if row.state == ReplyToState.CONFIRMED:
            return self.error_page(request, row, title, _IS_CONFIRMED)
        if request.method == "POST":
            before = {"state": row.state}
            reply_to_checks.begin(row)
            row.save(update_fields=["state", "confirmation_id", "mail_at", "confirmed_at", "confirmed_by"])
            self.audit(request, "sent_confirmation_to", row, before=before, after={"state": row.state})
            publishing.enqueue(tasks.mail_notice, "reply-to", str(row.pk))
            return self.action_done(request, self.row_url(row), f"An email with a link goes to {row.email_address}.")
        explanation = [
            f"Signalbox emails a link to {row.email_address}. Somebody who reads that mailbox has to open it.",
            f"The link works once, for {reply_to_checks.VALID_FOR.days} days. An earlier link stops working.",
            "The address can be used meanwhile.",
        ]
        return self.action_page(request, row, title, "Send 1 email", explanation)

    def confirm_outside(self, request: HttpRequest, row: ReplyToAddress) -> HttpResponse:
        title = f"Confirm {row.email_address} without an email"
        if row.state == ReplyToState.CONFIRMED:
            return self.error_page(request, row, title, _IS_CONFIRMED)
        form = ReasonForm(posted(request))
        if request.method == "POST" and form.is_valid():
            reason = form.cleaned_data["reason"]
            reply_to_checks.confirm_outside(row, audit.person(request), audit.author(request), reason)
            return self.action_done(request, self.row_url(row), f"{row.email_address} is confirmed.")
        explanation = ["Do this only if you know that the team reads this mailbox, for example from a call."]
        return self.action_page(request, row, title, "Confirm", explanation, form=form)

    def removal_error(self, row: ReplyToAddress) -> str:
        """Check, under the lock, whether a live service would have no reply-to address left."""
        service = Service.objects.get(pk=row.service_id)
        is_needed = services.lacks_reply_to(
            live=service.live,
            active=service.active,
            sends_email=Permission.EMAIL in service.permissions,
            has_reply_to=self._others(row).exists(),
        )
        return "A live service that sends email needs one." if is_needed else ""
