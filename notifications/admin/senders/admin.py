"""Text message senders and reply-to addresses. A service has one default of each; removed rows stay archived.

Source: docs/reference/console.md §2.5, §2.6.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from config import formats
from config.console import cells
from config.console.admin import Button
from config.console.admin.columns import column
from config.console.theme import Select
from notifications.admin import permissions
from notifications.admin.senders.forms import ReplyToForm, SmsSenderForm
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.models import Permission, ReplyToAddress, Role, Service, SmsSender
from notifications.submission import kept_use
from notifications.validation import services


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
        js = ("notifications/sender_form.js",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(archived_at=None)

    added = column("Added", lambda row: cells.moment_by(row.created_at, row.created_by), ordering="created_at")
    used = column("Last used", lambda row: cells.moment(row.last_used_at, never="Never"), ordering="last_used_at")
    id_to_copy = column("Id", lambda row: cells.copied(str(row.pk), f"row-{row.pk}"))
    default = column("Default", lambda row: cells.chip("★ default", "accent") if row.is_default else "No")

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        make_default = [] if obj.is_default else [Button("Make default…", "make-default")]
        return [*make_default, Button("Remove…", "remove", tone="ending")]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Make the first row the default. Clear the former default before setting a new one."""
        self._lock(obj)
        others = self._others(obj)
        obj.is_default = obj.is_default or not others.filter(is_default=True).exists()
        if obj.is_default:
            others.update(is_default=False)
        super().save_model(request, obj, form, change)

    def make_default(self, request: HttpRequest, row: Any) -> HttpResponse:
        if request.method == "POST":
            self._lock(row)
            self._others(row).update(is_default=False)
            type(row).objects.filter(pk=row.pk).update(is_default=True)
            self.audit(request, "made_default", row, before={"is_default": False}, after={"is_default": True})
            return self.action_done(request, self.list_url(), f"{self._text(row)} is now the default.")
        explanation = [f"Messages use {self._text(row)} unless they name another {self.opts.verbose_name}."]
        return self.action_page(
            request, row, title=f"Make {self._text(row)} the default", button="Make default", explanation=explanation
        )

    def remove(self, request: HttpRequest, row: Any) -> HttpResponse:
        """Show the last use and the keys, then archive the row. If it is the default, ask for the next default."""
        self._lock(row)
        row.refresh_from_db()
        error = "Somebody has just removed it." if row.archived_at else self.removal_error(row)
        others = self._others(row)
        form = FollowerForm(posted(request), followers=others) if row.is_default and others.exists() else None
        title = f"Remove {self._text(row)}"
        if error:
            return self.error_page(request, row, title, error)
        if request.method == "POST" and (form is None or form.is_valid()):
            row.is_default = False
            row.archived_at = timezone.now()
            row.save(update_fields=["is_default", "archived_at"])
            if form is not None:
                form.cleaned_data["follower"].is_default = True
                form.cleaned_data["follower"].save(update_fields=["is_default"])
            self.audit(request, "removed", row, before={self.text_field: self._text(row), "is_default": True})
            return self.action_done(request, self.list_url(), f"{self._text(row)} is removed.")
        used = formats.spoken(row.last_used_at) if row.last_used_at else "never"
        explanation = [
            f"Last used: {used}.",
            kept_use.keys(row.service_id, self.message_field, [row.pk]).sentence(row.pk),
            "Calls that name its id are then refused.",
        ]
        return self.action_page(
            request,
            row,
            title=title,
            button=f"Remove {self.opts.verbose_name}",
            explanation=explanation,
            form=form,
            is_destructive=True,
        )

    def removal_error(self, row: Any) -> str:
        """Return why this row cannot be removed, or ""."""
        raise LookupError(f"{type(self).__name__} must define which row has to stay")

    def _lock(self, row: Any) -> None:
        """Lock the service, so that two people cannot set two defaults, or none, at the same time."""
        Service.objects.select_for_update().get(pk=row.service_id)

    def _others(self, row: Any) -> Any:
        return type(row).objects.filter(service=row.service, archived_at=None).exclude(pk=row.pk)

    def _text(self, row: Any) -> str:
        return str(getattr(row, self.text_field))


class FollowerField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, row: Any) -> str:
        return str(row.sender if isinstance(row, SmsSender) else row.email_address)


class FollowerForm(forms.Form):
    """The row that becomes the default after the removal."""

    follower = FollowerField(queryset=None, label="New default", empty_label=None, widget=Select)

    def __init__(self, *args: Any, followers: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["follower"]
        field.queryset = followers  # type: ignore[attr-defined]  # a ModelChoiceField has one


@admin.register(SmsSender)
class SmsSenderAdmin(DefaultedAdmin):
    change_form_template = "admin/notifications/sms_sender_change_form.html"
    form = SmsSenderForm
    text_field = "sender"
    fields = ("service", "sender", "default", "id", "used", "added")
    add_fields = ("service", "sender", "is_default")
    message_field = "sms_sender"
    list_display = ("sender", "default", "id_to_copy", "used", "added")
    empty = "No text message sender. Every service has one that its messages come from."

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
    fields = ("service", "email_address", "default", "id", "used", "added")
    add_fields = ("service", "email_address", "is_default")
    message_field = "reply_to"
    list_display = ("email_address", "default", "id_to_copy", "used", "added")
    empty = "No reply-to address. One is needed before this service goes live."

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
