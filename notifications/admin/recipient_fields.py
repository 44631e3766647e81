"""An address or a number as staff type it, refused in the API's own words. Source: Staff console §2.7, §2.8."""

from django import forms

from notifications.recipients import email, phone


def email_address(text: str) -> tuple[str, str]:
    """Return an address as given and normalised. Raises ValidationError."""
    try:
        parsed = email.parse(text)
    except email.InvalidEmailAddress as error:
        raise forms.ValidationError(error.ui_message) from error
    return parsed.as_given, parsed.normalised


def phone_number(text: str) -> tuple[str, str]:
    """Return a number as given and normalised; any country's, whom a service may text is its own rule.

    Raises ValidationError.
    """
    try:
        parsed = phone.parse(text, international=True, landlines=True)
    except phone.InvalidPhoneNumber as error:
        raise forms.ValidationError(error.outcome.ui_message) from error
    return parsed.as_given, parsed.normalised
