"""Team members and the guest list: whom a service in trial, and a team key, may reach.

Source: Staff console §2.7, §2.8. Lists show addresses masked, have no search box, and rows are named by id alone.
"""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.utils.safestring import SafeString

from config.console import cells
from config.console.masking import mask
from notifications.admin.service_rows import ServiceRowAdmin
from notifications.models import GuestListEntry, RecipientKind, TeamMember
from notifications.recipients import email, phone


class TeamMemberForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    class Meta:
        model = TeamMember
        fields = ("service", "email_address", "phone_number")

    def clean(self) -> dict[str, Any]:
        """Bring both into the forms they are compared in."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("email_address"):
            cleaned["email_address"], self.instance.normalised_email = _email(self, "email_address")
        if "phone_number" in cleaned:
            cleaned["phone_number"], self.instance.normalised_phone = _phone(self, "phone_number")
        service = cleaned.get("service") or getattr(self.instance, "service", None)
        if service is not None and self.instance.normalised_email:
            doubles = service.team.filter(normalised_email=self.instance.normalised_email).exclude(pk=self.instance.pk)
            if doubles.exists():
                self.add_error("email_address", "This person is in the team already.")
        return cleaned


class GuestListEntryForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    class Meta:
        model = GuestListEntry
        fields = ("service", "value", "note")
        labels = {"value": "Email address or phone number"}

    def clean(self) -> dict[str, Any]:
        """Say by itself which of the two it is, and refuse a double."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        service, value = cleaned.get("service") or getattr(self.instance, "service", None), cleaned.get("value")
        if not value or service is None:
            return cleaned
        is_email = "@" in value
        self.instance.kind = RecipientKind.EMAIL if is_email else RecipientKind.PHONE
        cleaned["value"], self.instance.normalised = (_email if is_email else _phone)(self, "value")
        same = service.guest_list.filter(kind=self.instance.kind, normalised=self.instance.normalised)
        if same.exclude(pk=self.instance.pk).exists():
            self.add_error("value", "This one is on the guest list already.")
        most: int = settings.GUEST_LIST_MAX
        if most and self.instance._state.adding and service.guest_list.filter(kind=self.instance.kind).count() >= most:
            self.add_error("value", f"The guest list holds {most} of these and is full. Remove one first.")
        return cleaned


@admin.register(TeamMember)
class TeamMemberAdmin(ServiceRowAdmin):
    form = TeamMemberForm
    may_delete = True
    masked_fields = ("email_address", "normalised_email", "phone_number", "normalised_phone")
    fields = ("service", "email_address", "phone_number")
    list_display = ("member", "email", "phone", "service", "account", "created")
    empty = "Nobody yet. People of the team can always be reached, also while the service is in trial."

    @admin.display(description="Member")
    def member(self, row: TeamMember) -> str:
        return str(row.pk)[:8]

    @admin.display(description="Email address")
    def email(self, row: TeamMember) -> str:
        return mask(row.email_address)

    @admin.display(description="Phone")
    def phone(self, row: TeamMember) -> str:
        return mask(row.phone_number) if row.phone_number else "–"

    @admin.display(description="Account")
    def account(self, row: TeamMember) -> SafeString:
        return cells.chip("May sign in", "good") if row.user_id else cells.chip("Receives only")

    @admin.display(description="Added")
    def created(self, row: TeamMember) -> SafeString | str:
        return cells.moment(row.created_at)


@admin.register(GuestListEntry)
class GuestListEntryAdmin(ServiceRowAdmin):
    form = GuestListEntryForm
    may_delete = True
    masked_fields = ("value", "normalised")
    fields = ("service", "value", "note")
    list_display = ("entry", "kind", "masked", "service", "note", "created")
    list_filter = ("service", "kind")
    empty = "Nobody yet. People here can be reached with a team and guest list key, and while in trial."

    @admin.display(description="Entry")
    def entry(self, row: GuestListEntry) -> str:
        return str(row.pk)[:8]

    @admin.display(description="Recipient")
    def masked(self, row: GuestListEntry) -> str:
        return mask(row.value)

    @admin.display(description="Added")
    def created(self, row: GuestListEntry) -> SafeString | str:
        return cells.moment(row.created_at)


def _email(form: forms.BaseForm, field: str) -> tuple[str, str]:
    """Return an address as given and normalised; a wrong one gets its reason beside the field."""
    text: str = form.cleaned_data[field]
    try:
        parsed = email.parse(text)
    except email.InvalidEmailAddress as error:
        form.add_error(field, error.ui_message)
        return text, ""
    return parsed.as_given, parsed.normalised


def _phone(form: forms.BaseForm, field: str) -> tuple[str, str]:
    """Return a number as given and normalised; any country's is accepted, whom a service may text is its own rule."""
    text: str = form.cleaned_data[field]
    if not text:
        return "", ""
    try:
        parsed = phone.parse(text, international=True, landlines=True)
    except phone.InvalidPhoneNumber as error:
        form.add_error(field, error.outcome.ui_message)
        return text, ""
    return parsed.as_given, parsed.normalised
