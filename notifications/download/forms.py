"""The form for the recipient's email address. Source: docs/reference/files.md §9."""

from typing import Any

from django import forms

from notifications.recipients import email


class EmailAddressForm(forms.Form):
    """The email address that the file was sent to. Every invalid value has the same error message."""

    MESSAGE = "Enter an email address in the correct format, like name@example.com"

    email_address = forms.CharField(required=False, max_length=email.MAX_CHARACTERS)

    def clean(self) -> dict[str, Any]:
        """Parse the email address as sending does. Ignore spaces, which copying often adds."""
        typed = "".join(self.cleaned_data.get("email_address", "").split())
        try:
            return {"email_address": email.parse(typed).as_given}
        except email.InvalidEmailAddress as error:
            raise forms.ValidationError(self.MESSAGE) from error
