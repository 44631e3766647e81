"""The one question that is asked of a recipient. Source: Files sent by email §9."""

from typing import Any

from django import forms

from notifications.recipients import email


class AddressForm(forms.Form):
    """The address the file was sent to. There is one message for whatever is not an address."""

    MESSAGE = "Enter an email address in the right form, like name@example.com"

    email_address = forms.CharField(required=False, max_length=email.MAX_CHARACTERS)

    def clean(self) -> dict[str, Any]:
        """Read the address as sending would, blanks left out: nobody should stumble over what a copy brought along."""
        typed = "".join(self.cleaned_data.get("email_address", "").split())
        try:
            return {"email_address": email.parse(typed).as_given}
        except email.InvalidEmailAddress as error:
            raise forms.ValidationError(self.MESSAGE) from error
