"""The form that sends one message by hand: its fields come from the template. Source: Staff console §2.11."""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.crypto import salted_hmac

from notifications import errors
from notifications.attachments.refusals import FileInfected, FileRefused
from notifications.attachments.validation import DEFAULT_WEEKS, MAX_FILE_BYTES, is_file
from notifications.models import Channel, KeyType, Service, TemplateVersion
from notifications.models.attachment import MAX_WEEKS
from notifications.rendering import placeholders
from notifications.submission import properties
from notifications.submission.requests import EmailRequest, GivenId, SmsRequest

REAL, TEST = "real", "test"
_PROPERTY = {Channel.EMAIL: "email_address", Channel.SMS: "phone_number"}

_OF_TEMPLATE = (
    errors.TextMessagesNotAllowed,
    errors.EmailsNotAllowed,
    errors.TemplateNotFound,
    errors.TemplateOfOtherType,
    errors.TemplateArchived,
)
_OF_SENDER = (errors.SmsSenderNotFound, errors.ReplyToNotFound)
_OF_RECIPIENT = (errors.NotOnTeam, errors.ServiceInTrial, errors.InternationalNotAllowed)


class SendForm(forms.Form):
    """What a message needs, one field for each placeholder. Read it with `request`, which raises nothing.

    values: what was typed, by placeholder; files: what was picked, by placeholder
    """

    recipient = forms.CharField(strip=True)
    sender = forms.ChoiceField(required=False)
    reference = forms.CharField(required=False, strip=False)
    kind = forms.ChoiceField(
        label="Send it",
        choices=[(TEST, "As a test: nothing leaves"), (REAL, "For real")],
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, service: Service, version: TemplateVersion, user_name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.service, self.version = service, version
        self.channel = Channel(version.template.type)
        self.names = placeholders.find(version.subject or "", version.content)
        is_email = self.channel is Channel.EMAIL
        self.fields["recipient"].label = "Email address" if is_email else "Phone number"
        self.fields["sender"].label = "Replies go to" if is_email else "Sender"
        self.fields["sender"].choices = _senders(service, self.channel)  # type: ignore[attr-defined]
        self.fields["kind"].initial = TEST
        self.fields["reference"].initial = f"console-{user_name}-{timezone.now():%Y%m%dT%H%M%SZ}"
        for number, name in enumerate(self.names):
            area = forms.Textarea(attrs={"rows": 1, "class": "sb-input"})
            self.fields[f"value-{number}"] = forms.CharField(required=False, strip=False, label=name, widget=area)
            if is_email:
                self.fields[f"file-{number}"] = forms.FileField(required=False, label=f"A file for {name}")
                self.fields[f"asks-{number}"] = forms.BooleanField(required=False, initial=True)
                weeks = forms.NumberInput(attrs={"min": 1, "max": MAX_WEEKS, "class": "sb-input"})
                self.fields[f"weeks-{number}"] = forms.IntegerField(
                    required=False, initial=DEFAULT_WEEKS, label="Weeks", widget=weeks
                )

    @staticmethod
    def tick_names(version: TemplateVersion) -> list[str]:
        """Return the fields that a browser leaves out where they are not ticked."""
        return [f"asks-{n}" for n, _ in enumerate(placeholders.find(version.subject or "", version.content))]

    def slots(self) -> list[dict[str, Any]]:
        """Return each placeholder with the fields that fill it."""
        kinds = ("value", "file", "asks", "weeks")
        return [
            {"name": name, **{kind: self[f"{kind}-{n}"] for kind in kinds if f"{kind}-{n}" in self.fields}}
            for n, name in enumerate(self.names)
        ]

    def clean_recipient(self) -> Any:
        """Read it as the API does, and refuse it in the same words."""
        try:
            return self._read_recipient(self.cleaned_data["recipient"])
        except errors.ValidationError as refusal:
            raise forms.ValidationError(refusal.message) from refusal

    def clean_reference(self) -> str | None:
        try:
            return properties.reference("reference", self.cleaned_data["reference"]) or None
        except errors.ValidationError as refusal:
            raise forms.ValidationError(refusal.message) from refusal

    @property
    def key_type(self) -> KeyType:
        return KeyType.LIVE if self.cleaned_data["kind"] == REAL else KeyType.TEST

    def request(self) -> SmsRequest | EmailRequest:
        """Return the request a program would have made."""
        chosen = self.cleaned_data["sender"]
        common: dict[str, Any] = {
            "template_id": self.version.template_id,
            "personalisation": self._personalisation(),
            "reference": self.cleaned_data["reference"],
        }
        identifier = GivenId(_senders_id(self.service, self.channel, chosen), chosen) if chosen else None
        recipient = self.cleaned_data["recipient"]
        if self.channel is Channel.EMAIL:
            return EmailRequest(email_address=recipient, email_reply_to_id=identifier, **common)
        return SmsRequest(phone_number=recipient, sms_sender_id=identifier, **common)

    def fingerprint(self) -> str:
        """Return what tells this message from another: what was checked is what is sent. It holds nothing readable."""
        told = [str(self.version.template_id), self.version.number, self.cleaned_data["kind"]]
        told += [self.cleaned_data["recipient"].as_given, self.cleaned_data["sender"], self.cleaned_data["reference"]]
        personalisation = json.dumps(self._personalisation(), sort_keys=True)
        told.append(hashlib.sha256(personalisation.encode()).hexdigest())
        return salted_hmac("notifications.send", json.dumps(told), algorithm="sha256").hexdigest()

    def refuse(self, refusal: errors.NotificationError) -> None:
        """Put the API's words beside the field they concern, or on top where they concern none."""
        if isinstance(refusal, errors.PersonalisationMissing):
            missing = placeholders.missing(
                self.version.subject or "", self.version.content, personalisation=self._personalisation()
            )
            for number, name in enumerate(self.names):
                if name in missing:
                    self.add_error(f"value-{number}", refusal.message)
            return
        for fault in refusal.faults:
            for field in self._fields_of(refusal):
                self.add_error(field, fault.message)

    def _fields_of(self, refusal: errors.NotificationError) -> list[str | None]:
        if isinstance(refusal, _OF_SENDER):
            return ["sender"]
        if isinstance(refusal, _OF_RECIPIENT) or (
            isinstance(refusal, errors.ValidationError) and refusal.message.startswith(_PROPERTY[self.channel])
        ):
            return ["recipient"]
        if isinstance(refusal, FileRefused | errors.SchemaRefused) or type(refusal) is FileInfected:
            with_file = [f"file-{n}" for n in range(len(self.names)) if self.cleaned_data.get(f"file-{n}")]
            return [*with_file] or [None]
        return [None]

    def _read_recipient(self, text: str) -> Any:
        if self.channel is Channel.EMAIL:
            return properties.email_address("email_address", text)
        return properties.phone_number("phone_number", text, self.service)

    def _personalisation(self) -> Mapping[str, object]:
        values: dict[str, object] = {}
        for number, name in enumerate(self.names):
            file = self.cleaned_data.get(f"file-{number}")
            typed = self.cleaned_data[f"value-{number}"].replace("\r\n", "\n")
            if file:
                values[name] = self._file(number, file)
            elif typed:
                values[name] = _value(typed)
        return values

    def _file(self, number: int, file: Any) -> dict[str, object]:
        """Return an uploaded file as a program sends it."""
        file.seek(0)
        return {
            "file": base64.b64encode(file.read(MAX_FILE_BYTES + 1)).decode(),
            "filename": file.name,
            "confirm_email_before_download": self.cleaned_data[f"asks-{number}"],
            "retention_period": f"{self.cleaned_data[f'weeks-{number}'] or DEFAULT_WEEKS} weeks",
        }


def has_file(request: SmsRequest | EmailRequest) -> bool:
    return any(is_file(value) for value in request.personalisation.values())


def _value(typed: str) -> object:
    """Several lines are a list, as a caller would send it."""
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    return lines if len(lines) > 1 else typed


def _own(service: Service, channel: Channel) -> Any:
    rows = service.reply_to_addresses if channel is Channel.EMAIL else service.sms_senders
    return rows.filter(archived_at=None)


def _senders(service: Service, channel: Channel) -> list[tuple[str, str]]:
    """The default comes first and is what an empty choice means."""
    rows = list(_own(service, channel))
    shown = {str(row.pk): row.email_address if channel is Channel.EMAIL else row.sender for row in rows}
    default = next((shown[str(row.pk)] for row in rows if row.is_default), "none is set")
    return [("", f"The default: {default}"), *((pk, name) for pk, name in shown.items())]


def _senders_id(service: Service, channel: Channel, chosen: str) -> Any:
    return next(row.pk for row in _own(service, channel) if str(row.pk) == chosen)
