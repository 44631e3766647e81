"""Forms that change a file's last day or withdraw it. Source: docs/reference/console.md §2.12."""

from datetime import date
from typing import Any

from django import forms
from django.utils.text import capfirst

from config import formats
from config.console.theme import TextInput


class WithdrawForm(forms.Form):
    """The reason for withdrawing a file. The audit and the file's page show it."""

    reason = forms.CharField(label="Reason", max_length=255, widget=TextInput, help_text="The audit shows it.")


class LastDayForm(forms.Form):
    """The last day of a file, from `earliest` to `latest` inclusive."""

    last_day = forms.DateField(
        label="Last day",
        input_formats=["%Y-%m-%d"],
        error_messages={"invalid": "Enter a date in the form 2026-04-01."},
    )

    def __init__(self, *args: Any, earliest: date, latest: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.earliest, self.latest = earliest, latest
        limits = {"type": "date", "min": earliest.isoformat(), "max": latest.isoformat()}
        self.fields["last_day"].widget = TextInput(attrs=limits)
        self._range = f"from {formats.weekday(earliest)} to {formats.weekday(latest)}"
        self.fields["last_day"].help_text = f"{capfirst(self._range)}."

    def clean_last_day(self) -> date:
        day: date = self.cleaned_data["last_day"]
        if not self.earliest <= day <= self.latest:
            raise forms.ValidationError(f"Choose a day {self._range}.")
        return day
