"""What a sender and a reply-to address must look like. Source: Staff console §2.5, §2.6; the sending contract §8."""

import re
from typing import Any

from django import forms

from notifications.models import ReplyToAddress, SmsSender
from notifications.recipients import email

_ALLOWED = re.compile(r"[A-Za-z0-9 &._-]")
_LENGTHS = range(3, 12)  # letters beyond 11 are cut off by networks
_NUMBER = re.compile(r"\A\+?[0-9]{3,15}\Z")  # a phone number or short code may be longer


class SmsSenderForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    class Meta:
        model = SmsSender
        fields = ("service", "sender", "is_default")
        help_texts = {"sender": "3 to 11 letters, digits, spaces or & . - _, or a phone number or short code."}

    def clean_sender(self) -> str:
        sender: str = self.cleaned_data["sender"].strip()
        if sender.startswith("00"):
            raise forms.ValidationError("A sender cannot begin with 00: networks replace it.")
        if _NUMBER.match(sender):
            return sender
        wrong = next((character for character in sender if not _ALLOWED.match(character)), None)
        if wrong is not None:
            raise forms.ValidationError(f"{wrong} is not allowed here: use letters, digits, spaces or & . - _")
        if len(sender) not in _LENGTHS:
            raise forms.ValidationError(f"Use 3 to 11 characters; this has {len(sender)}.")
        if not any(character.isalnum() for character in sender):
            raise forms.ValidationError("Use at least one letter or digit.")
        return sender

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        refuse_double(self, "sender", "There is this sender already.")
        return cleaned


class ReplyToForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    class Meta:
        model = ReplyToAddress
        fields = ("service", "email_address", "is_default")

    def clean_email_address(self) -> str:
        try:
            return email.parse(self.cleaned_data["email_address"]).as_given
        except email.InvalidEmailAddress as error:
            raise forms.ValidationError(error.ui_message) from error

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        refuse_double(self, "email_address", "There is this address already.")
        return cleaned


def refuse_double(form: Any, field: str, message: str) -> None:
    """Put `message` beside the field where the service has such a row, however it is written, that is not removed."""
    service, text = form.cleaned_data.get("service"), form.cleaned_data.get(field)
    if service is None or not text:
        return
    rows = form._meta.model.objects.filter(service=service, archived_at=None, **{f"{field}__iexact": text})
    if rows.exclude(pk=form.instance.pk).exists():
        form.add_error(field, message)
