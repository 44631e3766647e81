"""The one question that is asked of a recipient. Source: Files sent by email §9."""

from typing import Any

from django import forms

from notifications.recipients import email


class AddressForm(forms.Form):
    """The address the file was sent to. There is one message for whatever is not an address."""

    MESSAGE = "Enter an email address in the right form, like name@example.com"

    email_address = forms.CharField(required=False, max_length=email.MAX_CHARACTERS)

    def clean(self) -> dict[str, Any]:
        """Refuse what cannot be an address, blanks left out: those are not what a recipient should stumble over."""
        typed = "".join(self.cleaned_data.get("email_address", "").split())
        try:
            email.parse(typed)
        except email.InvalidEmailAddress as error:
            raise forms.ValidationError(self.MESSAGE) from error
        return {"email_address": typed}
