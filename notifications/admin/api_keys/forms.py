"""The form for a new API key. Source: docs/reference/console.md §2.3."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils import timezone

from config.console.checking import checked
from config.console.theme import CheckboxInput, RadioSelect, TextInput
from notifications.models import ApiKey, KeyType, Service
from notifications.validation import keys

_TYPES = (
    (KeyType.TEST, "Test: nothing is really sent, and every message is shown as delivered. Start with this one."),
    (KeyType.TEAM, "Team and guest list: real messages, but only to people you have added."),
    (KeyType.LIVE, "Live: real messages to anyone. In trial it reaches only the team and the guest list."),
)


class ApiKeyForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """editable: the services whose templates this person may edit; set by the admin"""

    editable: QuerySet[Service]

    allowed_networks = forms.CharField(
        label="Networks",
        required=False,
        widget=TextInput,
        help_text="Optional. Only calls from these networks or IP addresses are accepted, such as 192.0.2.0/24. "
        "Leave empty for all.",
    )
    allowed_templates = forms.CharField(
        label="Templates",
        required=False,
        widget=TextInput,
        help_text="Optional. The IDs of the only templates that the key may send, with commas between. "
        "Leave empty for all.",
    )
    daily_limit = forms.IntegerField(
        label="Messages a day",
        required=False,
        min_value=1,
        max_value=keys.MAX_DAILY_LIMIT,
        widget=TextInput,
        help_text="Optional. The most messages that the key may send on one UTC day, such as 500. "
        "Leave empty for the limits of the service only.",
    )
    key_type = forms.ChoiceField(label="Type", choices=_TYPES, initial=KeyType.TEST, widget=RadioSelect)

    class Meta:
        model = ApiKey
        fields = (
            "service",
            "name",
            "key_type",
            "manages_templates",
            "allowed_networks",
            "allowed_templates",
            "daily_limit",
            "expires_at",
            "note",
        )
        labels = {"expires_at": "Expires", "manages_templates": "Manage templates"}
        widgets = {"manages_templates": CheckboxInput}
        error_messages = {"expires_at": {"invalid": "Enter a date and a time, such as 1 May 2027 at 17:00."}}
        help_texts = {
            "name": "For example, the program that will use the key. Up to 60 letters, digits, _ or -. "
            "The name is part of the key.",
            "manages_templates": "Programs with the key may create, change and archive templates. "
            "Leave this off for programs that only send.",
            "expires_at": "Optional. After this time, calls with the key are refused. Leave empty for no end.",
            "note": "Optional. Only staff see it.",
        }

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        checked(keys.check_key_name, name)
        return name

    def clean_manages_templates(self) -> bool:
        """Refuse a permission that the person does not have."""
        manages: bool = self.cleaned_data["manages_templates"]
        service = self.cleaned_data.get("service")
        if manages and service and not self.editable.filter(pk=service.pk).exists():
            raise forms.ValidationError(
                "You need the permission to edit templates of this service. Leave this off, or ask for the permission."
            )
        return manages

    def clean_allowed_networks(self) -> list[str]:
        networks: list[str] = checked(keys.parse_networks, self.cleaned_data["allowed_networks"])
        return networks

    def clean_allowed_templates(self) -> list[str]:
        text: str = self.cleaned_data["allowed_templates"]
        service = self.cleaned_data.get("service")
        known = set(service.templates.values_list("pk", flat=True)) if service else set()
        ids: list[str] = checked(keys.parse_template_ids, text, known)
        return ids

    def clean_expires_at(self) -> Any:
        ends = self.cleaned_data["expires_at"]
        if ends is not None and ends <= timezone.now() and "expires_at" in self.changed_data:
            raise forms.ValidationError("Enter a time in the future, or leave this empty.")
        return ends

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("daily_limit") and cleaned.get("key_type") == KeyType.TEST:
            self.add_error("daily_limit", "Messages of test keys are not counted. Leave this empty.")
        service, name = cleaned.get("service"), cleaned.get("name")
        if service and name:
            active = service.api_keys.filter(revoked_at=None).values_list("name", flat=True)
            try:
                checked(keys.check_key_name_is_new, name, active)
            except forms.ValidationError as error:
                self.add_error("name", error)
        return cleaned
