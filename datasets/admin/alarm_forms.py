"""The forms of alarms. Source: docs/reference/alarms.md."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from config.console.checking import checked, validator
from config.console.theme import NumberInput, Textarea, TextInput
from config.invalid import InvalidValue
from datasets.alarms import measures, number, people
from datasets.models import OF_QUERIES, Alarm, AlarmMeasure
from datasets.validation import (
    GRACE_MINUTES,
    INTERVAL_MINUTES,
    check_alarm_message,
    check_grace,
    check_interval,
    check_quiet_hours,
    parse_alarm_name,
)

_BOTH = "Enter both times, or leave both empty."
_IN_PART = "Choose a measure of a saved query. The others are about the records of all services."
_TIME = {"type": "time"}


class PeopleField(forms.CharField):
    """Recipients of one channel, one on each line."""

    widget = Textarea(attrs={"rows": 3})

    def __init__(self, channel: str, **options: Any) -> None:
        super().__init__(required=False, **options)
        self.channel = channel

    def to_python(self, value: Any) -> Any:
        lines = value if isinstance(value, list) else (super().to_python(value) or "").splitlines()
        return checked(people.parse, self.channel, lines)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value


class AlarmForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """A share is made on the page of a service or with `provision`; the form keeps it.

    parts: the ids of the data sets of which the person reads a part
    """

    parts: frozenset[int] = frozenset()

    email_addresses = PeopleField("email", label="Email addresses", help_text="One on each line.")
    phone_numbers = PeopleField("sms", label="Phone numbers", help_text="One on each line. They get text messages.")
    grace_minutes = forms.IntegerField(
        label="Grace period in minutes",
        min_value=GRACE_MINUTES[0],
        initial=0,
        widget=NumberInput,
        validators=[validator(check_grace)],
        help_text="The condition must hold for this time before the alarm is raised.",
    )
    interval_minutes = forms.IntegerField(
        label="At most one message in (minutes)",
        min_value=INTERVAL_MINUTES[0],
        initial=60,
        widget=NumberInput,
        validators=[validator(check_interval)],
        help_text="If the alarm ends and is raised again in this time, people get no other message.",
    )

    class Meta:
        model = Alarm
        fields = (
            *("data_set", "name", "measure", "saved_query", "condition", "limit"),
            *("grace_minutes", "interval_minutes"),
            *("quiet_from", "quiet_until", "email_addresses", "phone_numbers", "message"),
        )
        labels = {
            "quiet_from": "Quiet hours from",
            "quiet_until": "Quiet hours until",
            "message": "Text",
        }
        help_texts = {
            "measure": "For example: not written for an hour is “Minutes since the last write” above 60, and written "
            "is below 5. Late is “Lateness in minutes” above 0. Emptied is “Minutes since the last emptying” below 60. "
            "Records with other fields are “Differences from the schema in two days” above 0.",
            "saved_query": "For the last two measures: a query of this data set that is not split.",
            "condition": "“Further from 0 than” is for changes: with the limit 10, more than 10 percent up or down.",
            "limit": "A number. A change of -10 is a fall by 10 percent.",
            "quiet_from": "Messages wait until the quiet hours end.",
            "message": "Placeholders: alarm, data set, measure, value, condition, limit, page. Write ((value)).",
        }
        widgets = {
            "name": TextInput,
            "limit": NumberInput(attrs={"step": "any"}),
            "quiet_from": TextInput(attrs=_TIME),
            "quiet_until": TextInput(attrs=_TIME),
            "message": Textarea(attrs={"rows": 4}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["limit"] = repr(self.instance.limit).removesuffix(".0")
        if "measure" in self.fields:
            is_share = self.instance.measure == AlarmMeasure.SHARE
            offered = [one for one in AlarmMeasure if (one == AlarmMeasure.SHARE) == is_share]
            self.fields["measure"].choices = [(one.value, one.label) for one in offered]  # type: ignore[attr-defined]

    def clean_name(self) -> str:
        return checked(parse_alarm_name, self.cleaned_data["name"])

    def clean_message(self) -> str:
        text: str = self.cleaned_data["message"]
        checked(check_alarm_message, text)
        return text

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        data_set = cleaned.get("data_set")
        if data_set is not None and self.instance.pk is None:
            checked(number.check, data_set)
        if "saved_query" in self.fields and not self.errors:
            measure, own = cleaned.get("measure", self.instance.measure), data_set or self.instance.data_set
            if own.pk in self.parts and measure not in {*OF_QUERIES, AlarmMeasure.SHARE}:
                self.add_error("measure", _IN_PART)
            self._check("measure", measures.check_expected, measure, own)
            self._check("saved_query", measures.check_query, measure, cleaned.get("saved_query"), own)
        begin, end = cleaned.get("quiet_from"), cleaned.get("quiet_until")
        if (begin is None) != (end is None):
            self.add_error("quiet_from" if begin is None else "quiet_until", _BOTH)
        self._check("quiet_until", check_quiet_hours, begin, end)
        if "limit" in cleaned:
            self._check("limit", measures.check_limit, cleaned.get("condition"), cleaned["limit"])
        return cleaned

    def _check(self, field: str, rule: Callable[..., None], *values: object) -> None:
        try:
            rule(*values)
        except InvalidValue as error:
            self.add_error(field, str(error))


class MuteForm(forms.Form):
    hours = forms.IntegerField(
        label="Hours without messages", min_value=1, max_value=24 * 30, initial=4, widget=NumberInput
    )

    def until(self) -> Any:
        return timezone.now() + timedelta(hours=self.cleaned_data["hours"])
