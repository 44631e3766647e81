"""A service's settings, as staff type them: one small form for each section. Source: Staff console §2.2."""

from typing import Any, ClassVar

from django import forms

from config.console.started_from import StartedFrom
from config.console.theme import CheckboxInput, CheckboxSelectMultiple, TextInput
from notifications.admin.checking import checked
from notifications.models import Permission, ProtectedName, Service
from notifications.models.keeping_times import check_unsubscribe_request_days
from notifications.validation import protected, services
from notifications.validation.services import NEEDS_REPLY_TO


class NamedForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """A form with a service's name. may_protect: whether an operator fills it in."""

    may_protect = False

    def clean_name(self) -> str:
        """Check a name that is new, since recipients may read it; the stored one stays valid whatever it is."""
        typed: str = self.cleaned_data["name"]
        if typed == self.initial.get("name"):
            return typed
        name = checked(services.parse_service_name, typed)
        others = Service.objects.exclude(pk=self.instance.pk).values_list("name", flat=True)
        checked(services.check_service_name_is_new, name, others)
        if not self.may_protect:
            checked(protected.check_not_protected, name, ProtectedName.objects.values_list("name", flat=True))
        return name


class NewServiceForm(NamedForm):
    may_protect = True  # only operators make services
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
        fields = ("name", "retention_days", "unsubscribe_request_days")
        labels = {"unsubscribe_request_days": "Keep unsubscribe requests for (days)"}
        help_texts = {"unsubscribe_request_days": "30 to 730 days after somebody marks a request as done."}

    def clean_retention_days(self) -> int:
        days: int = self.cleaned_data["retention_days"]
        checked(services.check_retention_days, days)
        return days

    def clean_unsubscribe_request_days(self) -> int:
        days: int = self.cleaned_data["unsubscribe_request_days"]
        try:
            check_unsubscribe_request_days(days)
        except ValueError as error:
            raise forms.ValidationError(f"The number of days {error}.") from error
        return days


class EmailForm(SectionForm):
    switches = {"sends_email": Permission.EMAIL}
    sends_email = forms.BooleanField(label="Sends emails", required=False, widget=CheckboxInput)

    class Meta:
        model = Service
        fields: tuple[str, ...] = ()

    def clean_sends_email(self) -> bool:
        """Refuse emails of a live service without a reply-to address, under the lock that removing one takes."""
        is_on: bool = self.cleaned_data["sends_email"]
        stored = Service.objects.select_for_update().get(pk=self.instance.pk)
        if is_on and not stored.may(Permission.EMAIL) and lacks_reply_to(stored, sends_email=True):
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
        help_texts = {
            "daily_limit_email": "A day is a UTC day.",
            "daily_limit_international_sms": "They count as text messages as well.",
        }

    def clean_rate_limit_per_minute(self) -> int:
        rate: int = self.cleaned_data["rate_limit_per_minute"]
        checked(services.check_rate_limit, rate)
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


def lacks_reply_to(service: Service, *, live: bool | None = None, sends_email: bool | None = None) -> bool:
    """Return whether a service breaks the rule of going live, now or with one of its settings changed."""
    return services.lacks_reply_to(
        live=service.live if live is None else live,
        active=service.active,
        sends_email=service.may(Permission.EMAIL) if sends_email is None else sends_email,
        has_reply_to=service.reply_to_addresses.filter(archived_at=None).exists(),
    )
