"""The form for a new API key. Source: docs/reference/console.md §2.3."""

from typing import Any

from django import forms
from django.utils import timezone

from config.console.checking import checked
from config.console.theme import RadioSelect
from notifications.models import ApiKey, KeyType
from notifications.validation import keys

_TYPES = (
    (KeyType.TEST, "Test: nothing is really sent, and every message is shown as delivered. Start with this one."),
    (KeyType.TEAM, "Team and guest list: real messages, but only to people you have added."),
    (KeyType.LIVE, "Live: real messages to anyone. In trial it reaches only the team and the guest list."),
)


class ApiKeyForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    key_type = forms.ChoiceField(label="Type", choices=_TYPES, initial=KeyType.TEST, widget=RadioSelect)

    class Meta:
        model = ApiKey
        fields = ("service", "name", "key_type", "expires_at", "note")
        labels = {"expires_at": "Expires"}
        error_messages = {"expires_at": {"invalid_time": "Enter a time as well as a date, such as 17:00."}}
        help_texts = {
            "name": "For example, the program that will use the key. Up to 60 letters, digits, _ or -. "
            "The name is part of the key.",
            "expires_at": "Optional. After this time, calls with the key are refused. Leave empty for no end.",
            "note": "Optional. Only staff see it.",
        }

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        checked(keys.check_key_name, name)
        return name

    def clean_expires_at(self) -> Any:
        ends = self.cleaned_data["expires_at"]
        if ends is not None and ends <= timezone.now() and "expires_at" in self.changed_data:
            raise forms.ValidationError("Enter a time in the future, or leave this empty.")
        return ends

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        service, name = cleaned.get("service"), cleaned.get("name")
        if service and name:
            active = service.api_keys.filter(revoked_at=None).values_list("name", flat=True)
            try:
                checked(keys.check_key_name_is_new, name, active)
            except forms.ValidationError as error:
                self.add_error("name", error)
        return cleaned
