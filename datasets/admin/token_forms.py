"""The forms to issue, change and rotate access tokens. Source: docs/reference/console.md §2.15."""

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone

from config.console.theme import CheckboxSelectMultiple
from datasets.admin.service_forms import ServicesForm
from datasets.errors import FilledBySignalbox
from datasets.models import AccessToken

_SCOPES = (("write", "Write: add records, empty the data set"), ("read", "Read: read records"))


class NewTokenForm(ServicesForm):
    """read_services: the services whose records the token reads, or None for all; known once the form is valid"""

    scopes = forms.MultipleChoiceField(choices=_SCOPES, widget=CheckboxSelectMultiple, initial=["write"])
    read_services: list[str] | None = None

    class Meta:
        model = AccessToken
        fields = ("data_set", "expires_at", "note")
        labels = {"expires_at": "Expires"}
        help_texts = {
            "note": "Which program uses the token, and who to ask about it.",
            "expires_at": "The token stops working at this time. Leave empty if it must not expire.",
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        data_set = cleaned.get("data_set")
        if data_set is not None and data_set.is_of_product and "write" in cleaned.get("scopes", ()):
            self.add_error("scopes", f"{FilledBySignalbox()} Choose only Read.")
        if data_set is not None:
            self.read_services = self.chosen_services([data_set])
        return cleaned

    def clean_expires_at(self) -> Any:
        ends = self.cleaned_data["expires_at"]
        if ends is not None and ends <= timezone.now():
            raise forms.ValidationError("This time is in the past. Choose a later one, or leave it empty.")
        return ends


class TokenNoteForm(forms.ModelForm):  # type: ignore[type-arg]
    """Only the note of a token can change."""

    class Meta:
        model = AccessToken
        fields = ("note",)


class RotationForm(forms.Form):
    """The number of days after which the old token expires; 0 is now."""

    days = forms.IntegerField(
        label="Days until the old token stops working",
        min_value=0,
        max_value=365,
        initial=lambda: settings.DATASETS_ROTATION_DAYS,
    )

    def ends_at(self) -> Any:
        return timezone.now() + timedelta(days=self.cleaned_data["days"])
