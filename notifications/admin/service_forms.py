"""A service's settings, as staff type them: one small form for each section. Source: Staff console §2.2."""

import re
from typing import Any, ClassVar

from django import forms
from django.db.models.functions import Lower

from config.console.started_from import StartedFrom
from config.console.theme import CheckboxInput, CheckboxSelectMultiple, TextInput
from notifications.models import Permission, Service
from notifications.recipients import email, phone

_HTTPS_LINK = re.compile(r"\Ahttps://[^\s/?#@]+\.[^\s/?#@]+(?:[/?#]\S*)?\Z")
_NUMBER_LIKE = re.compile(r"\A[+(]?\d[^@:]*\Z")
NEEDS_REPLY_TO = "Add a reply-to address first: this service sends email."


class NamedForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    def clean_name(self) -> str:
        """Refuse a name that differs from another only in case; it is what recipients may read."""
        name: str = self.cleaned_data["name"].strip()
        others = Service.objects.annotate(lower=Lower("name")).filter(lower=name.lower())
        if others.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("There is a service of this name already.")
        return name


class NewServiceForm(NamedForm):
    permissions = forms.MultipleChoiceField(
        label="May send",
        choices=Permission.choices,
        widget=CheckboxSelectMultiple,
        initial=[Permission.SMS, Permission.EMAIL, Permission.INTERNATIONAL_SMS],
    )

    class Meta:
        model = Service
        fields = ("name", "permissions")


class SectionForm(StartedFrom):
    """Part of a service's settings. `switches` are the form's fields that stand for permissions."""

    switches: ClassVar[dict[str, Permission]] = {}

    def __init__(self, data: Any = None, *, instance: Service) -> None:
        initial = {field: instance.may(permission) for field, permission in self.switches.items()}
        super().__init__(data, instance=instance, initial=initial)

    def store(self) -> list[str]:
        """Save what this form is about, and nothing else. Returns the names of those columns."""
        columns = [name for name in self._meta.fields or () if name in self.cleaned_data]
        if self.switches:
            turned = {permission: self.cleaned_data[field] for field, permission in self.switches.items()}
            kept = [word for word in self.instance.permissions if Permission(word) not in turned]
            self.instance.permissions = [*kept, *(one.value for one, is_on in turned.items() if is_on)]
            columns.append("permissions")
        self.instance.save(update_fields=columns)
        return columns

    def _guarded(self) -> list[str]:
        return [*super()._guarded(), *(["permissions"] if self.switches else [])]


class GeneralForm(SectionForm, NamedForm):
    class Meta:
        model = Service
        fields = ("name", "retention_days")

    def clean_retention_days(self) -> int:
        days: int = self.cleaned_data["retention_days"]
        if days not in range(3, 91):
            raise forms.ValidationError("Messages can be kept for 3 to 90 days.")
        return days


class EmailForm(SectionForm):
    switches = {"sends_email": Permission.EMAIL}
    sends_email = forms.BooleanField(label="Sends emails", required=False, widget=CheckboxInput)

    class Meta:
        model = Service
        fields: tuple[str, ...] = ()

    def clean_sends_email(self) -> bool:
        """Hold a live service to the rule that it had to meet to go live."""
        is_on: bool = self.cleaned_data["sends_email"]
        is_turned_on = is_on and not self.instance.may(Permission.EMAIL)
        if is_turned_on and self.instance.live and not has_reply_to(self.instance):
            raise forms.ValidationError(NEEDS_REPLY_TO)
        return is_on


class FilePageForm(SectionForm):
    class Meta:
        model = Service
        fields = ("file_contact",)
        labels = {"file_contact": "Contact"}
        widgets = {"file_contact": TextInput}

    def clean_file_contact(self) -> str:
        contact: str = self.cleaned_data["file_contact"].strip()
        if not contact or _HTTPS_LINK.match(contact) or _is_address(contact):
            return contact
        if not _NUMBER_LIKE.match(contact):
            raise forms.ValidationError("Enter a link that begins with https://, an email address, or a phone number.")
        try:
            phone.parse_service_contact(contact)
        except phone.InvalidPhoneNumber as error:
            raise forms.ValidationError(error.outcome.ui_message) from error
        return contact


class TextsForm(SectionForm):
    switches = {
        "sends_texts": Permission.SMS,
        "international": Permission.INTERNATIONAL_SMS,
        "landlines": Permission.SMS_TO_UK_LANDLINES,
    }
    sends_texts = forms.BooleanField(label="Sends text messages", required=False, widget=CheckboxInput)
    international = forms.BooleanField(label="To international numbers too", required=False, widget=CheckboxInput)
    landlines = forms.BooleanField(label="To UK landlines too", required=False, widget=CheckboxInput)
    field_order = ("sends_texts", "prefix_sms", "international", "landlines")

    class Meta:
        model = Service
        fields = ("prefix_sms",)
        labels = {"prefix_sms": "Begin with the service's name"}
        widgets = {"prefix_sms": CheckboxInput}
        help_texts = {"prefix_sms": "Text messages then start with “Name of the service:”."}


class ReasonForm(forms.Form):
    """Why something grave is done; the audit keeps it."""

    reason = forms.CharField(label="Reason", max_length=500, widget=TextInput, help_text="Kept in the audit.")


class LimitsForm(SectionForm, ReasonForm):
    class Meta:
        model = Service
        fields = ("rate_limit_per_minute", "daily_limit_email", "daily_limit_sms", "daily_limit_international_sms")
        labels = {
            "rate_limit_per_minute": "Requests a minute, for each type of key",
            "daily_limit_email": "Emails a day",
            "daily_limit_sms": "Text messages a day",
            "daily_limit_international_sms": "International text messages a day",
        }
        help_texts = {"rate_limit_per_minute": "Days are UTC days."}

    def clean_rate_limit_per_minute(self) -> int:
        rate: int = self.cleaned_data["rate_limit_per_minute"]
        if rate < 1:
            raise forms.ValidationError("Enter 1 or more: with 0 every call would be refused.")
        return rate


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


def has_reply_to(service: Service) -> bool:
    return service.reply_to_addresses.filter(archived_at=None).exists()


def _is_address(text: str) -> bool:
    try:
        email.parse(text)
    except email.InvalidEmailAddress:
        return False
    return True
