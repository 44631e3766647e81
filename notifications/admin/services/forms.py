"""Forms of a service's settings, one for each section. Source: docs/reference/console.md §2.2."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, ClassVar

from django import forms

from config.console.checking import checked, validator
from config.console.started_from import StartedFrom
from config.console.theme import CheckboxInput, CheckboxSelectMultiple, Select, TextInput
from config.utc_days import start_of, today
from notifications.models import Permission, ProtectedName, Service, ServiceLimit
from notifications.validation import names, services
from notifications.validation.services import NEEDS_REPLY_TO

MOST_DAYS = 366  # of a temporary change
_SENDS = (
    (Permission.SMS, "Text messages"),
    (Permission.EMAIL, "Emails"),
    (Permission.INTERNATIONAL_SMS, "Text messages to international numbers"),
    (Permission.SMS_TO_UK_LANDLINES, "Text messages to UK landlines"),
)


class NamedForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """A form with a service's name. may_protect: whether the person may use protected names."""

    may_protect = False

    def clean_name(self) -> str:
        """Check a changed name. An unchanged name stays valid, even if today's rules reject it."""
        typed: str = self.cleaned_data["name"]
        if typed == self.initial.get("name"):
            return typed
        name = checked(names.parse_name, typed)
        others = Service.objects.exclude(pk=self.instance.pk).values_list("name", flat=True)
        checked(services.check_service_name_is_new, name, others)
        checked(partial(ProtectedName.objects.check_name, may_protect=self.may_protect), name)
        self.instance.has_own_name = True
        return name


class NewServiceForm(NamedForm):
    may_protect = True  # only operators create services
    permissions = forms.MultipleChoiceField(
        label="This service can send",
        choices=_SENDS,
        widget=CheckboxSelectMultiple,
        initial=[Permission.SMS, Permission.EMAIL, Permission.INTERNATIONAL_SMS],
    )

    class Meta:
        model = Service
        fields = ("name", "permissions")


class SectionForm(StartedFrom):
    """One section of a service's settings.

    switches: fields that stand for permissions
    rules: limits of number fields, which replace those of the column
    """

    switches: ClassVar[dict[str, Permission]] = {}
    rules: ClassVar[dict[str, Callable[[int], None]]] = {}

    def __init__(self, data: Any = None, *, instance: Service) -> None:
        initial = {field: permission in instance.permissions for field, permission in self.switches.items()}
        super().__init__(data, instance=instance, initial=initial)
        for name, rule in self.rules.items():
            self.fields[name].validators = [validator(rule)]

    def store(self) -> list[str]:
        """Save only this form's columns, and return their names."""
        columns = [name for name in self._meta.fields or () if name in self.cleaned_data]
        if self.switches:
            turned = {permission: self.cleaned_data[field] for field, permission in self.switches.items()}
            kept = [word for word in self.instance.permissions if Permission(word) not in turned]
            self.instance.permissions = [*kept, *(one.value for one, is_on in turned.items() if is_on)]
            columns.append("permissions")
        if "name" in columns:
            columns.append("has_own_name")
        self.instance.save(update_fields=columns)
        return columns

    def _guarded(self) -> list[str]:
        return [*super()._guarded(), *(["permissions"] if self.switches else [])]


class GeneralForm(SectionForm, NamedForm):
    rules = {
        "retention_days": services.check_retention_days,
        "unsubscribe_request_days": services.check_unsubscribe_request_days,
    }

    class Meta:
        model = Service
        fields = ("name", "retention_days", "unsubscribe_request_days")
        labels = {"unsubscribe_request_days": "Keep unsubscribe requests for (days)"}
        help_texts = {
            "retention_days": "3 to 90 days. After that, recipients and contents are deleted; the counts stay.",
            "unsubscribe_request_days": "30 to 730 days, counted from the day the request is marked as done.",
        }


class EmailForm(SectionForm):
    switches = {"sends_email": Permission.EMAIL}
    sends_email = forms.BooleanField(label="Send emails", required=False, widget=CheckboxInput)

    class Meta:
        model = Service
        fields: tuple[str, ...] = ()

    def clean_sends_email(self) -> bool:
        """Reject emails for a live service without a reply-to address. The lock is shared with removing one."""
        is_on: bool = self.cleaned_data["sends_email"]
        stored = Service.objects.select_for_update().get(pk=self.instance.pk)
        if is_on and Permission.EMAIL not in stored.permissions and lacks_reply_to(stored, sends_email=True):
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
        return contact and checked(services.parse_file_contact, contact)


class PublicPagesForm(SectionForm):
    class Meta:
        model = Service
        fields = ("page_language",)
        labels = {"page_language": "Language"}
        widgets = {"page_language": Select}
        help_texts = {"page_language": "The language of the download pages and the unsubscribe page."}


class TextsForm(SectionForm):
    switches = {
        "sends_texts": Permission.SMS,
        "international": Permission.INTERNATIONAL_SMS,
        "landlines": Permission.SMS_TO_UK_LANDLINES,
    }
    sends_texts = forms.BooleanField(label="Send text messages", required=False, widget=CheckboxInput)
    international = forms.BooleanField(label="Send to international numbers", required=False, widget=CheckboxInput)
    landlines = forms.BooleanField(label="Send to UK landlines", required=False, widget=CheckboxInput)
    field_order = ("sends_texts", "prefix_sms", "international", "landlines", "stop_texts_suppress")

    class Meta:
        model = Service
        fields = ("prefix_sms", "stop_texts_suppress")
        labels = {
            "prefix_sms": "Start text messages with the service name",
            "stop_texts_suppress": "Suppress people who text STOP",
        }
        widgets = {"prefix_sms": CheckboxInput, "stop_texts_suppress": CheckboxInput}
        help_texts = {
            "prefix_sms": "For example: “Passport Advice: Your appointment is tomorrow.”",
            "stop_texts_suppress": "The service sends no more texts to a number that sends STOP, STOPALL, UNSUBSCRIBE, "
            "QUIT, END or CANCEL, until it sends START or UNSTOP.",
        }


class ReasonForm(forms.Form):
    """The reason for an important change. The audit records it."""

    reason = forms.CharField(label="Reason", max_length=500, widget=TextInput, help_text="The audit shows it.")


class LimitsForm(SectionForm, ReasonForm):
    """The limits, and the last day of a temporary change. Limits that stay the same are not changed."""

    last_day = forms.DateField(
        label="Last day (UTC)",
        required=False,
        widget=forms.DateInput(attrs={"type": "date", "class": "sb-input"}, format="%Y-%m-%d"),
        help_text="Optional. The former limits apply again after this day. Leave it empty for a lasting change.",
    )
    rules = {
        "rate_limit_per_minute": services.check_rate_limit,
        "daily_limit_email": services.check_daily_limit,
        "daily_limit_sms": services.check_daily_limit,
        "daily_limit_international_sms": services.check_daily_limit,
    }

    class Meta:
        model = Service
        fields = tuple(ServiceLimit.values)
        labels = {limit.value: limit.label for limit in ServiceLimit}
        help_texts = {
            "daily_limit_email": "Days begin at midnight UTC.",
            "daily_limit_international_sms": "These also count towards the limit for text messages.",
        }

    field_order = (*Meta.fields, "last_day", "reason")

    def clean_last_day(self) -> date | None:
        last_day: date | None = self.cleaned_data["last_day"]
        if last_day is not None and not 0 <= (last_day - today()).days <= MOST_DAYS:
            raise forms.ValidationError("Enter today or a day of the next 12 months.")
        return last_day

    @property
    def values(self) -> dict[ServiceLimit, int]:
        return {ServiceLimit(name): self.cleaned_data[name] for name in self.Meta.fields}

    @property
    def until(self) -> datetime | None:
        """Return the end of the last day."""
        last_day: date | None = self.cleaned_data["last_day"]
        return start_of(last_day + timedelta(days=1)) if last_day else None


def lacks_reply_to(service: Service, *, live: bool | None = None, sends_email: bool | None = None) -> bool:
    """Return whether a service would be live without a reply-to address, now or with the changed setting."""
    return services.lacks_reply_to(
        live=service.live if live is None else live,
        active=service.active,
        sends_email=Permission.EMAIL in service.permissions if sends_email is None else sends_email,
        has_reply_to=service.reply_to_addresses.filter(archived_at=None).exists(),
    )
