"""The form that sends one message by hand: its fields come from the template.

Source: docs/reference/console.md §2.11.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.html import format_html, format_html_join

from config import formats
from notifications import errors
from notifications.admin.messages import replying, send_slots
from notifications.admin.messages.scheduling import time_field
from notifications.admin.sending_fields import sender_choices
from notifications.admin.templates import choice, preview
from notifications.attachments.validation import DEFAULT_WEEKS, MAX_FILE_BYTES
from notifications.models import Channel, KeyType, ReceivedText, Service, TemplateVersion
from notifications.rendering import placeholders
from notifications.submission import policy, requests
from notifications.submission.requests import EmailRequest, GivenId, MessageRequest, SmsRequest
from notifications.submission.templates import TemplateText

REAL, TEST = "real", "test"

# The console's texts for errors of the API. Errors without a text here show the API's message.
EMPTY = {Channel.EMAIL: "Enter an email address.", Channel.SMS: "Enter a phone number."}
REFERENCE = f"Enter a reference of at most {formats.number(requests.MAX_REFERENCE_CHARACTERS)} characters."
ITEMS = f"Enter at most {formats.number(requests.MAX_LIST_ITEMS)} lines."

_OF_SENDER = (errors.SmsSenderNotFound, errors.ReplyToNotFound)
_OF_RECIPIENT = (
    errors.NotOnTeam,
    errors.ServiceInTrial,
    errors.InternationalNotAllowed,
    errors.PhoneNumberError,
    errors.EmailAddressInvalid,
)


class SendForm(forms.Form):
    """Recipient, sender, reference, kind of sending, and the fields of each placeholder.

    text: of the version, in the language that is sent
    """

    recipient = forms.CharField(strip=True)
    sender = forms.ChoiceField(required=False)
    reference = forms.CharField(
        required=False, strip=False, help_text="All staff can see it. Do not enter personal information."
    )
    scheduled_for = time_field(
        label="When",
        widget=forms.TextInput(attrs={"type": "datetime-local"}),
        help_text="Leave empty to send now. In the time zone of the console, at most 24 hours from now.",
    )
    kind = forms.ChoiceField(
        label="Type of message",
        choices=[(TEST, "Test: nothing is really sent"), (REAL, "Real message")],
        widget=forms.RadioSelect,
    )

    def __init__(
        self,
        *args: Any,
        service: Service,
        version: TemplateVersion,
        text: TemplateText,
        user_name: str,
        reply_to: ReceivedText | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.service, self.version, self.text = service, version, text
        self.channel = Channel(version.template.type)
        self._slots = send_slots.find(version.template, text)
        is_email = self.channel is Channel.EMAIL
        self.fields["recipient"].widget.attrs["data-keep"] = f"recipient {self.channel}"
        self.fields["recipient"].label = "Email address" if is_email else "Phone number"
        self.fields["recipient"].error_messages["required"] = EMPTY[self.channel]
        self.fields["sender"].label = "Replies go to" if is_email else "Sender"
        self.fields["sender"].choices = sender_choices(service, self.channel)  # type: ignore[attr-defined]
        self.fields["kind"].initial = TEST
        self.fields["reference"].initial = f"console-{user_name}-{timezone.now():%Y%m%dT%H%M%SZ}"
        self.fields |= send_slots.fields(self._slots, self.channel)
        if reply_to:
            self._answer(reply_to)

    def _answer(self, text: ReceivedText) -> None:
        """Fix the recipient to the sender of a received text. A value in the request is ignored."""
        recipient = self.fields["recipient"]
        recipient.initial, recipient.disabled = text.user_number, True
        self.fields["sender"].initial = replying.initial_sender(text)
        self.fields["kind"].initial = REAL

    @staticmethod
    def tick_names(version: TemplateVersion, text: TemplateText) -> list[str]:
        """Return the names of the tick boxes, which a browser omits if they are not ticked."""
        return [f"asks-{slot.number}" for slot in send_slots.find(version.template, text)]

    def slots(self) -> list[dict[str, Any]]:
        """Return each placeholder with its fields."""
        kinds = ("value", "file", "asks", "weeks")
        return [
            {
                "name": slot.name,
                "slot": slot,
                **{kind: self[f"{kind}-{slot.number}"] for kind in kinds if f"{kind}-{slot.number}" in self.fields},
            }
            for slot in self._slots
        ]

    def clean_recipient(self) -> Any:
        """Parse the recipient by the API's rules."""
        try:
            if self.channel is Channel.EMAIL:
                return policy.parse_email_address(self.cleaned_data["recipient"])
            return policy.parse_phone_number(self.cleaned_data["recipient"], self.service)
        except errors.ValidationError as error:
            raise forms.ValidationError(_recipient_error(error, self.channel)) from error

    def clean_reference(self) -> str | None:
        try:
            return requests.check_reference(self.cleaned_data["reference"]) or None
        except errors.ValidationError as error:
            raise forms.ValidationError(REFERENCE) from error

    def clean(self) -> dict[str, Any] | None:
        """Reject lists longer than the API accepts."""
        cleaned = super().clean()
        for slot in self._slots:
            try:
                requests.check_personalisation({slot.name: slot.value(self._typed(slot))})
            except errors.ValidationError:
                self.add_error(slot.field, ITEMS)
        return cleaned

    @property
    def key_type(self) -> KeyType:
        return KeyType.LIVE if self.cleaned_data["kind"] == REAL else KeyType.TEST

    def draft(self) -> dict[str, Any]:
        """Return the context of the message with what is typed so far. Files are left out."""
        typed = {slot: str(self[f"value-{slot.number}"].value() or "") for slot in self._slots if not slot.is_file}
        given = {slot.name: slot.value(text.replace("\r\n", "\n")) for slot, text in typed.items() if text}
        text = self.text
        shown = preview.filled(
            self.channel,
            text.subject,
            text.content,
            values=dict(placeholders.with_defaults(given, text.defaults)),
            service=self.service,
            language=text.language,
            has_footer=text.unsubscribe_link,
        )
        chosen = self["sender"].value()
        if self.channel is Channel.SMS and chosen:
            shown["sender"] = dict(sender_choices(self.service, self.channel)).get(chosen, shown["sender"])
        return {"channel": self.channel.value, **shown}

    def request(self) -> MessageRequest:
        """Return the equivalent API request."""
        chosen = self.cleaned_data["sender"]
        common: dict[str, Any] = {
            "template_id": self.version.template_id,
            "language": choice.language_of(self.text, self.version) or None,
            "personalisation": self._personalisation(),
            "reference": self.cleaned_data["reference"],
            "scheduled_for": self.cleaned_data["scheduled_for"],
        }
        identifier = GivenId(UUID(chosen), chosen) if chosen else None
        recipient = self.cleaned_data["recipient"]
        if self.channel is Channel.EMAIL:
            return EmailRequest(email_address=recipient, email_reply_to_id=identifier, **common)
        return SmsRequest(phone_number=recipient, sms_sender_id=identifier, **common)

    def fingerprint(self) -> str:
        """Return a hash of the message. *Send* compares it with that of the message that was checked."""
        parts = [str(self.version.template_id), self.version.number, self.text.language, self.cleaned_data["kind"]]
        parts += [self.cleaned_data["recipient"].as_given, self.cleaned_data["sender"], self.cleaned_data["reference"]]
        parts.append(str(self.cleaned_data["scheduled_for"] or ""))
        personalisation = json.dumps(self._personalisation(), sort_keys=True)
        parts.append(hashlib.sha256(personalisation.encode()).hexdigest())
        return salted_hmac("notifications.send", json.dumps(parts), algorithm="sha256").hexdigest()

    def add_api_error(self, error: errors.NotificationError, *, pages_for_trial: Mapping[str, str]) -> None:
        """Add an API error to the field it concerns, or to the top of the form.

        pages_for_trial: title → URL of the pages where this person can add recipients to a service in trial
        """
        if isinstance(error, errors.PersonalisationMissing):
            values = placeholders.with_defaults(self._personalisation(), self.text.defaults)
            missing = placeholders.missing(self.text.subject, self.text.content, personalisation=values)
            for slot in self._slots:
                if slot.name in missing:
                    self.add_error(slot.field, slot.missing)
            return
        if isinstance(error, errors.ServiceInTrial):
            self.add_error("recipient", _trial_error(pages_for_trial))
            return
        for entry in error.errors:
            for field in self._fields_of(error):
                self.add_error(field, entry.message)

    def _fields_of(self, error: errors.NotificationError) -> list[str | None]:
        if isinstance(error, _OF_SENDER):
            return ["sender"]
        if isinstance(error, _OF_RECIPIENT):
            return ["recipient"]
        if isinstance(error, errors.InvalidFile | errors.InvalidRequest):
            with_file = [f"file-{slot.number}" for slot in self._slots if self.cleaned_data.get(f"file-{slot.number}")]
            return [*with_file] or [None]
        return [None]

    def _personalisation(self) -> Mapping[str, object]:
        values: dict[str, object] = {}
        for slot in self._slots:
            file = self.cleaned_data.get(f"file-{slot.number}")
            typed = self._typed(slot)
            if file:
                values[slot.name] = self._file(slot.number, file)
            elif typed:
                values[slot.name] = slot.value(typed)
        return values

    def _typed(self, slot: send_slots.Slot) -> str:
        return str(self.cleaned_data.get(f"value-{slot.number}", "")).replace("\r\n", "\n")

    def _file(self, number: int, file: Any) -> dict[str, object]:
        """Return an uploaded file in the API's form."""
        file.seek(0)
        return {
            "file": base64.b64encode(file.read(MAX_FILE_BYTES + 1)).decode(),
            "filename": file.name,
            "confirm_email_before_download": self.cleaned_data[f"asks-{number}"],
            "retention_period": f"{self.cleaned_data[f'weeks-{number}'] or DEFAULT_WEEKS} weeks",
        }


def _recipient_error(error: errors.NotificationError, channel: Channel) -> str:
    """Return the error of an invalid recipient without the API's property name."""
    if channel is Channel.EMAIL:
        return "Enter a valid email address, like name@example.com."
    return f"{error.message.removeprefix('phone_number ')}."


def _trial_error(places: Mapping[str, str]) -> str:
    """Return how to let a service in trial reach a recipient.

    places: title → URL of the pages that this person may open
    """
    if not places:
        return "This service is in trial. Ask a manager to add this person to the guest list or team first."
    links = format_html_join(" or ", '<a class="sb-link" href="{1}">{0}</a>', places.items())
    return format_html("This service is in trial: add this person to the {} first.", links)
