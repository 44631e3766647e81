"""Forms that change a file's last day or withdraw it. Source: docs/reference/console.md §2.12."""

from datetime import date
from typing import Any

from django import forms

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
        self.fields["last_day"].help_text = f"From {in_words(earliest)} to {in_words(latest)}."

    def clean_last_day(self) -> date:
        day: date = self.cleaned_data["last_day"]
        if not self.earliest <= day <= self.latest:
            raise forms.ValidationError(f"Choose a day from {in_words(self.earliest)} to {in_words(self.latest)}.")
        return day


def in_words(day: date) -> str:
    """Return a day in the form used in sentences.

    >>> in_words(date(2026, 4, 1))
    'Wednesday 1 April 2026'
    """
    return f"{day:%A %-d %B %Y}"
