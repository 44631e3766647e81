"""The last step of a bulk send: when it is sent, by which sender, and what the person confirms."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from config import formats
from config.console.theme import CheckboxInput, TextInput
from notifications.admin.bulk_sends.notices import Counts
from notifications.models import BulkSend, BulkState, Channel

NOW, LATER = "now", "later"
_SAME_WITHIN = timedelta(hours=24)


class TimeField(forms.DateTimeField):
    """A time in the console's time zone, at most BULK_SCHEDULE_HOURS from now."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            widget=TextInput(attrs={"type": "datetime-local"}),
            error_messages={"invalid": "Enter a date and time, such as 2026-04-01 09:30."},
            **kwargs,
        )

    def clean(self, value: Any) -> datetime | None:
        moment: datetime | None = super().clean(value)
        if moment is None:
            return None
        if moment <= timezone.now():
            raise forms.ValidationError("Enter a time in the future.")
        if moment > timezone.now() + timedelta(hours=settings.BULK_SCHEDULE_HOURS):
            raise forms.ValidationError(f"Enter a time within the next {_longest()}.")
        return moment


class SendForm(forms.Form):
    """Now or later, the sender, and the ticks that a table may need."""

    when = forms.ChoiceField(
        label="When", choices=[(NOW, "Now"), (LATER, "Later")], initial=NOW, widget=forms.RadioSelect
    )
    scheduled_for = TimeField(label="Send at", required=False)
    sender = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, bulk_send: BulkSend, counts: Counts, same: BulkSend | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._channel = Channel(bulk_send.channel)
        self.fields[
            "scheduled_for"
        ].help_text = f"In the time zone {timezone.get_current_timezone_name()}, at most {_longest()} from now."
        self.fields["sender"].label = "Replies go to" if self._channel is Channel.EMAIL else "Sender"
        self._senders = {str(row.pk): row for row in _senders(bulk_send)}
        self.fields["sender"].choices = self._sender_choices()  # type: ignore[attr-defined]
        if counts.with_errors:
            rows = formats.counted(counts.with_errors, "row")
            self._add_tick(
                "leave_out", f"Leave out {rows}", "Correct the table, or tick this box to send to the others."
            )
        if same is not None:
            self._add_tick("again", "Send again", "Tick this box to send the same messages again.")

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or {}
        is_later = cleaned.get("when") == LATER
        if is_later and cleaned.get("scheduled_for") is None and "scheduled_for" not in self.errors:
            self.add_error("scheduled_for", "Enter a date and time.")
        if not is_later:
            self.errors.pop("scheduled_for", None)
            cleaned["scheduled_for"] = None
        return cleaned

    @property
    def sender_id(self) -> Any:
        chosen = self._senders.get(self.cleaned_data["sender"])
        return chosen.pk if chosen else None

    def _add_tick(self, name: str, label: str, error: str) -> None:
        self.fields[name] = forms.BooleanField(label=label, widget=CheckboxInput, error_messages={"required": error})

    def _sender_choices(self) -> list[tuple[str, str]]:
        is_email = self._channel is Channel.EMAIL
        shown = {pk: row.email_address if is_email else row.sender for pk, row in self._senders.items()}
        default = next((shown[pk] for pk, row in self._senders.items() if row.is_default), "not set")
        return [("", f"Default: {default}"), *shown.items()]


def _longest() -> str:
    """Return BULK_SCHEDULE_HOURS in words, in days if possible."""
    days, hours = divmod(settings.BULK_SCHEDULE_HOURS, 24)
    return formats.counted(settings.BULK_SCHEDULE_HOURS, "hour") if hours else formats.counted(days, "day")


def same_before(bulk_send: BulkSend) -> BulkSend | None:
    """Return the last bulk send of the same table and template within 24 hours."""
    others: QuerySet[BulkSend] = BulkSend.objects.filter(
        service=bulk_send.service_id,
        template=bulk_send.template_id,
        table_hash=bulk_send.table_hash,
        accepted_at__gte=timezone.now() - _SAME_WITHIN,
    )
    return others.exclude(pk=bulk_send.pk).exclude(state=BulkState.DRAFT).order_by("-accepted_at").first()


def _senders(bulk_send: BulkSend) -> Any:
    service, is_email = bulk_send.service, bulk_send.channel == Channel.EMAIL
    return (service.reply_to_addresses if is_email else service.sms_senders).filter(archived_at=None)
