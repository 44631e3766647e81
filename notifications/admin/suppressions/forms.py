"""Forms of suppressions. Source: docs/reference/suppressions.md §4."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest
from django.utils import timezone

from config import formats
from config.console.checking import checked
from config.console.theme import Select, TextInput
from notifications.admin import permissions
from notifications.models import Service
from notifications.models.suppression import MAX_NOTE_CHARACTERS
from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber
from notifications.submission.suppressions import listing

EVERYWHERE = "all"  # the value of the whole installation in the field of services
WHOLE_INSTALLATION = "Whole installation"


class _LastDay(forms.DateField):
    """The last day of a suppression, in the time zone of the console. Empty: no end."""

    def __init__(self) -> None:
        super().__init__(
            label="Last day",
            required=False,
            input_formats=["%Y-%m-%d"],
            widget=TextInput(attrs={"type": "date"}),
            error_messages={"invalid": "Enter a date in the form 2026-04-01."},
            help_text="Leave it empty for a suppression without an end.",
        )

    def clean(self, value: Any) -> datetime | None:
        day = super().clean(value)
        if day is None:
            return None
        if day < timezone.localdate():
            raise forms.ValidationError("Choose today or a later day.")
        return listing.end_of_day(day)


class _WhereForm(forms.Form):
    """A form with the service to which suppressions belong. Operators may choose the whole installation."""

    where = forms.ChoiceField(label="Service", widget=Select)

    def __init__(self, data: Any = None, files: Any = None, *, request: HttpRequest, services: Any) -> None:
        super().__init__(data, files)
        self._services: dict[str, Service] = {str(one.pk): one for one in services}
        everywhere = [(EVERYWHERE, WHOLE_INSTALLATION)] if permissions.is_operator(request) else []
        named = [(value, one.name) for value, one in self._services.items()]
        field: Any = self.fields["where"]
        field.choices = [("", "Choose a service"), *named, *everywhere] if len(named) != 1 or everywhere else named
        chosen = permissions.chosen_service(request)
        field.initial = str(chosen.pk) if chosen else named[0][0] if len(named) == 1 and not everywhere else ""

    @property
    def service(self) -> Service | None:
        """Return the chosen service, or None for the whole installation."""
        return self._services.get(self.cleaned_data["where"])

    @property
    def service_id(self) -> UUID | None:
        return self.service.pk if self.service else None


class _Reason(forms.CharField):
    def __init__(self) -> None:
        super().__init__(
            label="Reason",
            max_length=MAX_NOTE_CHARACTERS,
            widget=TextInput,
            help_text="Members of the team see it. Do not put personal data in it.",
        )


class SuppressForm(forms.Form):
    """The reason and the last day of a suppression whose recipient is known."""

    note = _Reason()
    expires_at = _LastDay()


class NewSuppressionForm(_WhereForm):
    recipient = forms.CharField(
        label="Email address or phone number",
        max_length=400,
        widget=TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    note = _Reason()
    expires_at = _LastDay()

    field_order = ("where", "recipient", "note", "expires_at")

    def clean_recipient(self) -> PhoneNumber | EmailAddress:
        parsed: PhoneNumber | EmailAddress = checked(listing.parse_recipient, self.cleaned_data["recipient"])
        return parsed


class ImportForm(_WhereForm):
    file = forms.FileField(
        label="File",
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.ods"}),
        help_text=(
            "CSV, TSV, Excel (.xlsx) or OpenDocument (.ods). The first row names the columns: “recipient” with email "
            "addresses and phone numbers, and if you like “reason” and “last day” (2026-04-01). At most "
            f"{formats.number(listing.MAX_ROWS)} rows."
        ),
    )


class LiftForm(forms.Form):
    reason = forms.CharField(
        label="Reason", max_length=MAX_NOTE_CHARACTERS, widget=TextInput, help_text="The audit shows it."
    )


class EndForm(forms.Form):
    """Another last day of a suppression."""

    expires_at = _LastDay()

    def __init__(self, data: Any = None, *, expires_at: datetime | None) -> None:
        last_day = timezone.localdate(expires_at - timedelta(microseconds=1)) if expires_at else None
        super().__init__(data, initial={"expires_at": last_day and last_day.isoformat()})
