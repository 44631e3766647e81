"""Form fields of the pages that send: the time, and the sender."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import forms

from config.console.theme import TextInput
from notifications import errors
from notifications.models import Channel, Service


class TimeField(forms.DateTimeField):
    """A time in the console's time zone, by a rule of the API. Empty: now.

    check: raises the API's error for a time that is not allowed
    longest: returns how far ahead the rule allows, such as "24 hours"
    """

    def __init__(self, check: Callable[[datetime], None], *, longest: Callable[[], str], **kwargs: Any) -> None:
        self._check, self._longest = check, longest
        kwargs.setdefault("widget", TextInput(attrs={"type": "datetime-local"}))
        wrong = {"invalid": "Enter a date and time, such as 2026-04-01 09:30."}
        super().__init__(required=False, error_messages=wrong, **kwargs)

    def validate(self, value: datetime | None) -> None:
        super().validate(value)
        if value is None:
            return
        try:
            self._check(value)
        except (errors.ScheduledForPast, errors.BulkScheduledForPast) as error:
            raise forms.ValidationError("Enter a time in the future.") from error
        except (errors.ScheduledForTooFar, errors.BulkScheduledForTooFar) as error:
            raise forms.ValidationError(f"Enter a time within the next {self._longest()}.") from error


def sender_choices(service: Service, channel: Channel) -> list[tuple[str, str]]:
    """Return id and text of the senders or reply-to addresses, the default first. Its value is empty."""
    is_email = channel is Channel.EMAIL
    senders: Any = service.reply_to_addresses if is_email else service.sms_senders
    rows = list(senders.filter(archived_at=None))
    shown = {row: row.email_address if is_email else str(row) for row in rows}
    default = next((shown[row] for row in rows if row.is_default), "not set")
    return [("", f"Default: {default}"), *((str(row.pk), text) for row, text in shown.items())]
