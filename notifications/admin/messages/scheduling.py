"""Move or cancel a scheduled message on its page. Source: docs/reference/console.md §2.10."""

from datetime import timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from config import formats
from config.console.admin.model_admin import ConsoleModelAdmin
from notifications import errors
from notifications.admin.sending_fields import TimeField
from notifications.models import Notification, Status
from notifications.submission.sending import scheduled

CANCEL, MOVE = "cancel", "move"

_NOT_SCHEDULED = "This message is no longer scheduled. It can be neither moved nor cancelled."


def time_field(**options: Any) -> TimeField:
    """Return the field for the time of a message."""
    hours = formats.counted(scheduled.FARTHEST // timedelta(hours=1), "hour")
    return TimeField(scheduled.check_time, longest=lambda: hours, **options)


class MoveForm(forms.Form):
    """Another time for a message. Empty: now."""

    scheduled_for = time_field(
        label="Send at",
        help_text="In the time zone of the console, at most 24 hours from now. Leave empty to send the message now.",
    )


class ScheduledMessageActions(ConsoleModelAdmin):
    """The two actions on a scheduled message."""

    def move(self, request: HttpRequest, message: Notification) -> HttpResponse:
        title = "Move message"
        planned = message.due_at
        if not message.is_scheduled:
            return self.error_page(request, message, title, _NOT_SCHEDULED)
        initial = {"scheduled_for": f"{timezone.localtime(planned):%Y-%m-%dT%H:%M}"}
        form = MoveForm(request.POST if request.method == "POST" else None, initial=initial)
        if request.method == "POST" and form.is_valid():
            moment = form.cleaned_data["scheduled_for"]
            try:
                scheduled.move(message, moment)
            except errors.NotScheduled:
                return self.error_page(request, message, title, _NOT_SCHEDULED)
            self.audit(
                request,
                "moved",
                message,
                before={"scheduled_for": planned.isoformat()},
                after={"scheduled_for": (moment or timezone.now()).isoformat()},
            )
            message.refresh_from_db()
            is_later = moment or message.quiet_until
            done = _planned(message, "is now") if is_later else "The message is due now."
            return self.action_done(request, self.row_url(message), done)
        explanation = [_planned(message)]
        if message.template.respect_quiet_hours:
            explanation.append("During the quiet hours of the service, the message waits until they end.")
        return self.action_page(request, message, title, title, explanation, form=form)

    def cancel(self, request: HttpRequest, message: Notification) -> HttpResponse:
        title = "Cancel message"
        if not message.is_scheduled:
            return self.error_page(request, message, title, _NOT_SCHEDULED)
        if request.method == "POST":
            try:
                scheduled.cancel(message)
            except errors.NotScheduled:
                return self.error_page(request, message, title, _NOT_SCHEDULED)
            self.audit(
                request,
                "cancelled",
                message,
                before={"status": Status.CREATED.value},
                after={"status": Status.CANCELLED.value},
            )
            return self.action_done(request, self.row_url(message), "The message is cancelled. It will not be sent.")
        explanation = [
            f"{_planned(message)} If you cancel it, it will not be sent.",
            "This cannot be undone.",
        ]
        return self.action_page(request, message, title, title, explanation, leave="Keep message", is_destructive=True)


def _planned(message: Notification, verb: str = "is") -> str:
    why = ", the end of the quiet hours" if message.quiet_until else ""
    return f"The message {verb} scheduled for {formats.spoken(message.due_at)}{why}."
