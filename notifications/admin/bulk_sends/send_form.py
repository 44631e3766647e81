"""The last step of a bulk send: when it is sent, by which sender, and what the person confirms."""

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from config import formats
from config.console.theme import CheckboxInput
from notifications.admin.bulk_sends.notices import Counts
from notifications.admin.sending_fields import TimeField, sender_choices
from notifications.models import BulkSend, BulkState, Channel
from notifications.submission.bulk import requests

NOW, LATER = "now", "later"
_SAME_WITHIN = timedelta(hours=24)


def _longest() -> str:
    """Return BULK_SCHEDULE_HOURS in words, in days if possible."""
    days, hours = divmod(settings.BULK_SCHEDULE_HOURS, 24)
    return formats.counted(settings.BULK_SCHEDULE_HOURS, "hour") if hours else formats.counted(days, "day")


def bulk_time_field(**options: Any) -> TimeField:
    """Return the field for the time of a bulk send."""
    return TimeField(requests.check_time, longest=_longest, label="Send at", **options)


class BulkSendForm(forms.Form):
    """Now or later, the sender, and the ticks that a table may need."""

    when = forms.ChoiceField(
        label="When", choices=[(NOW, "Now"), (LATER, "Later")], initial=NOW, widget=forms.RadioSelect
    )
    scheduled_for = bulk_time_field()
    sender = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, bulk_send: BulkSend, counts: Counts, same: BulkSend | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = timezone.get_current_timezone_name()
        self.fields["scheduled_for"].help_text = f"In the time zone {zone}, at most {_longest()} from now."
        channel = Channel(bulk_send.channel)
        self.fields["sender"].label = "Replies go to" if channel is Channel.EMAIL else "Sender"
        self.fields["sender"].choices = sender_choices(bulk_send.service, channel)  # type: ignore[attr-defined]
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

    def _add_tick(self, name: str, label: str, error: str) -> None:
        self.fields[name] = forms.BooleanField(label=label, widget=CheckboxInput, error_messages={"required": error})


def same_before(bulk_send: BulkSend) -> BulkSend | None:
    """Return the last bulk send of the same table and template within 24 hours."""
    others: QuerySet[BulkSend] = BulkSend.objects.filter(
        service=bulk_send.service_id,
        template=bulk_send.template_id,
        table_hash=bulk_send.table_hash,
        accepted_at__gte=timezone.now() - _SAME_WITHIN,
    )
    return others.exclude(pk=bulk_send.pk).exclude(state=BulkState.DRAFT).order_by("-accepted_at").first()
