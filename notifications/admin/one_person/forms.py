"""Forms of the page *One person*."""

from typing import Any

from django import forms

from config.console.checking import checked
from config.console.theme import TextInput
from config.invalid import InvalidValue
from notifications.one_person import proof
from notifications.one_person.person import Person
from notifications.submission.suppressions.listing import parse_recipient

_MAX_CHARACTERS = 400


class FindPersonForm(forms.Form):
    """The recipient to find."""

    recipient = forms.CharField(
        label="Phone number or email address",
        max_length=_MAX_CHARACTERS,
        widget=TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="For example 07700 900123 or ann@example.org.",
        error_messages={"required": "Enter a phone number or an email address."},
    )

    def clean_recipient(self) -> str:
        typed: str = self.cleaned_data["recipient"]
        checked(parse_recipient, typed)
        return typed


class EraseForm(forms.Form):
    """The recipient again, and a case reference for the audit."""

    recipient = forms.CharField(
        label="Phone number or email address",
        required=False,
        max_length=_MAX_CHARACTERS,
        widget=TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="Enter it again to confirm.",
    )
    case = forms.CharField(
        label="Case reference",
        required=False,
        max_length=100,
        widget=TextInput,
        help_text="Stays in the audit. Do not enter the phone number or email address.",
    )

    def __init__(self, data: Any = None, *, person: Person) -> None:
        super().__init__(data)
        self._person = person

    def clean_recipient(self) -> str:
        typed: str = self.cleaned_data["recipient"]
        try:
            is_same = parse_recipient(typed).key == self._person.normalised
        except InvalidValue:
            is_same = False
        if not is_same:
            raise forms.ValidationError("Enter the phone number or email address that is shown above.")
        return typed

    def clean_case(self) -> str:
        case: str = self.cleaned_data["case"]
        checked(proof.check_case, case, self._person)
        return case
