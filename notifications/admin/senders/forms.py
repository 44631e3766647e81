"""Forms for a new text message sender or reply-to address."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from uuid import UUID

from django import forms

from config.console.checking import checked
from notifications.models import ProtectedName, ReplyToAddress, Service, SmsSender
from notifications.validation import senders


class SmsSenderForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """may_protect: whether the person may use protected names, which operators may."""

    may_protect = False

    class Meta:
        model = SmsSender
        fields = ("service", "sender", "is_default")
        help_texts = {"sender": senders.SENDER_HELP}

    def clean_sender(self) -> str:
        sender = checked(senders.parse_sms_sender, self.cleaned_data["sender"])
        checked(partial(ProtectedName.objects.check_name, may_protect=self.may_protect), sender)
        return sender

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        lock_service(self.instance.service_id)
        refuse_double(self, "sender", senders.check_sms_sender_is_new)
        return cleaned


class ReplyToForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    class Meta:
        model = ReplyToAddress
        fields = ("service", "email_address", "is_default")

    def clean_email_address(self) -> str:
        return checked(senders.parse_reply_to, self.cleaned_data["email_address"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        lock_service(self.instance.service_id)
        refuse_double(self, "email_address", senders.check_reply_to_is_new)
        return cleaned


def lock_service(service_id: UUID | None) -> None:
    """Lock the service, so that two people cannot set two defaults, or none, at the same time.

    The service is locked before its rows. In another order, two saves at once would wait for each other.
    """
    if service_id:
        list(Service.objects.select_for_update().filter(pk=service_id).values_list("pk"))


def refuse_double(form: Any, field: str, rule: Callable[[str, Iterable[str]], None]) -> None:
    """Add an error to the field if the service already has such a row that is not archived."""
    service, text = form.cleaned_data.get("service"), form.cleaned_data.get(field)
    if service is None or not text:
        return
    rows = form._meta.model.objects.filter(service=service, archived_at=None).exclude(pk=form.instance.pk)
    try:
        checked(rule, text, rows.values_list(field, flat=True))
    except forms.ValidationError as error:
        form.add_error(field, error)
