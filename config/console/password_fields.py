"""The form fields and checks for a new password, shared by every page where a person chooses one.

Source: docs/reference/console.md §2.19.
"""

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.models import User

from config.console.theme import PasswordInput

RULES = "At least 12 characters. Not a common password, not only digits, and not like your name or email address."
_LONGEST = 1000


def field(label: str = "New password", rules: str = RULES) -> forms.CharField:
    widget = PasswordInput(attrs={"autocomplete": "new-password"})
    return forms.CharField(label=label, strip=False, max_length=_LONGEST, widget=widget, help_text=rules)


def again(label: str = "Repeat new password") -> forms.CharField:
    return field(label, rules="")


def check(form: forms.Form, name: str, user: User) -> None:
    """Add an error if the password in the field `name` differs from `again` or breaks a rule for this account."""
    new, repeated = form.cleaned_data.get(name), form.cleaned_data.get("again")
    if new and repeated and new != repeated:
        form.add_error("again", "The two passwords are different. Enter the same password twice.")
    if new:
        try:
            password_validation.validate_password(new, user)
        except forms.ValidationError as error:
            form.add_error(name, error)
