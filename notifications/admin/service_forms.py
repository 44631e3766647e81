"""A service's settings, as staff type them. Source: Staff console §2.2."""

import re
from typing import Any

from django import forms
from django.db.models.functions import Lower

from config.console.theme import CheckboxSelectMultiple, TextInput
from notifications.models import Permission, Service
from notifications.recipients import email, phone

_HTTPS_LINK = re.compile(r"\Ahttps://[^\s/?#@]+\.[^\s/?#@]+(?:[/?#]\S*)?\Z")


class ServiceForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    permissions = forms.MultipleChoiceField(
        label="May send",
        choices=Permission.choices,
        widget=CheckboxSelectMultiple,
        initial=[Permission.SMS, Permission.EMAIL, Permission.INTERNATIONAL_SMS],
    )

    class Meta:
        model = Service
        fields = "__all__"  # noqa: DJ007  the admin's fieldsets choose
        labels = {
            "file_contact": "Contact",
            "rate_limit_per_minute": "Requests a minute",
            "daily_limit_email": "Emails a day",
            "daily_limit_sms": "Text messages a day",
            "daily_limit_international_sms": "International texts a day",
        }
        help_texts = {"prefix_sms": "Text messages then start with “Name of the service: ”."}

    def clean_name(self) -> str:
        """Refuse a name that differs from another only in case; it is what recipients may read."""
        name: str = self.cleaned_data["name"].strip()
        others = Service.objects.annotate(lower=Lower("name")).filter(lower=name.lower())
        if others.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("There is a service of this name already.")
        return name

    def clean_file_contact(self) -> str:
        contact: str = self.cleaned_data["file_contact"].strip()
        if not contact or _HTTPS_LINK.match(contact) or _is_address(contact) or _is_number(contact):
            return contact
        raise forms.ValidationError("Enter a link that begins with https://, an email address, or a phone number.")

    def clean_retention_days(self) -> int:
        days: int = self.cleaned_data["retention_days"]
        if days not in range(3, 91):
            raise forms.ValidationError("Messages can be kept for 3 to 90 days.")
        return days


class ReasonForm(forms.Form):
    """Why something grave is done; the audit keeps it."""

    reason = forms.CharField(label="Reason", max_length=500, widget=TextInput, help_text="Kept in the audit.")


class NameAgainForm(forms.Form):
    """The service's name, typed out by somebody who means it."""

    name = forms.CharField(label="Type the service's name", widget=TextInput, required=False)

    def __init__(self, *args: Any, service: Service, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.service = service

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.service.name:
            raise forms.ValidationError("This is not the service's name. Nothing has been done.")
        return name


def _is_address(text: str) -> bool:
    try:
        email.parse(text)
    except email.InvalidEmailAddress:
        return False
    return True


def _is_number(text: str) -> bool:
    try:
        phone.parse_service_contact(text)
    except phone.InvalidPhoneNumber:
        return False
    return True
