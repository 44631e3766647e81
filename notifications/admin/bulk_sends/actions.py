"""Change a bulk send: pause, resume, move, cancel the rest, retry failed messages.

Source: docs/reference/console.md §3.4.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from config import audit, formats
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.admin.row_actions import Button, methods
from notifications import errors
from notifications.admin.bulk_sends.send_form import bulk_time_field
from notifications.admin.service_rows import posted
from notifications.models import BulkSend, BulkState, Channel, KeyType
from notifications.models.bulk_send import MOVING, OPEN
from notifications.submission.bulk import change, retry
from notifications.submission.callers import ConsoleSender

MOVABLE = (BulkState.SCHEDULED, BulkState.PENDING, BulkState.PAUSED)  # while no row is a message

_ENDED = "This bulk send has ended. It cannot be changed."
_OTHER_STATE = "This is no longer possible, because the bulk send is now in another state."
_NOTHING_TO_RETRY = "No message of this bulk send can be sent again. Permanent failures are not retried."


class MoveBulkSendForm(forms.Form):
    """Another time. Empty: now."""

    scheduled_for = bulk_time_field(help_text="In the time zone of the console. Leave empty to send it now.")


class BulkSendActions(ConsoleModelAdmin):
    """Steps with exact numbers: GET explains, POST acts. The changes audit themselves."""

    row_actions = methods("pause", "resume", "move", "cancel", "retry-failed")

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        can_move = obj.scheduled_for and obj.state in MOVABLE and not obj.messages
        return [
            *([Button("Pause", "pause")] if obj.state in MOVING else []),
            *([Button("Resume", "resume")] if obj.state == BulkState.PAUSED else []),
            *([Button("Move", "move")] if can_move else []),
            *([Button("Cancel the rest", "cancel", tone="ending")] if not obj.has_ended else []),
            *([Button("Retry failed", "retry-failed")] if obj.has_ended and failed_count(obj) else []),
            Button("Download results", "results"),
        ]

    def pause(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponse:
        title = "Pause bulk send"
        if bulk_send.state not in MOVING:
            return self._not_possible(request, bulk_send, title)
        if request.method == "POST":
            done = "The bulk send is paused. Messages that are being sent now are not stopped."
            return self._changed(request, bulk_send, title, change.pause, done)
        explanation = [
            f"{_waiting(bulk_send)} until you resume the bulk send.",
            "Messages that are being sent now are not stopped. After 72 hours, a paused bulk send is cancelled.",
        ]
        return self.action_page(request, bulk_send, title, title, explanation)

    def resume(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponse:
        title = "Resume bulk send"
        if bulk_send.state != BulkState.PAUSED:
            return self._not_possible(request, bulk_send, title)
        if request.method == "POST":
            return self._changed(request, bulk_send, title, change.resume, "The bulk send continues.")
        planned = bulk_send.scheduled_for
        is_early = planned is not None and planned > timezone.now()
        when = f"{formats.on(planned)}" if planned and is_early else "after you resume the bulk send"
        are = "It is" if bulk_send.waiting == 1 else "They are"
        explanation = [f"{_waiting(bulk_send)}. {are} sent {when}."]
        return self.action_page(request, bulk_send, title, title, explanation)

    def move(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponse:
        title, planned = "Move bulk send", bulk_send.scheduled_for
        if bulk_send.state not in MOVABLE or bulk_send.messages or planned is None:
            return self._not_possible(request, bulk_send, title)
        form = MoveBulkSendForm(
            posted(request), initial={"scheduled_for": f"{timezone.localtime(planned):%Y-%m-%dT%H:%M}"}
        )
        if request.method == "POST" and form.is_valid():
            moment = form.cleaned_data["scheduled_for"]
            done = f"The bulk send is now scheduled for {formats.spoken(moment)}." if moment else "It is sent now."
            return self._changed(request, bulk_send, title, lambda row, by: change.move(row, moment, by), done)
        are = "is" if bulk_send.row_count == 1 else "are"
        explanation = [f"{messages_of(bulk_send, bulk_send.row_count)} {are} scheduled for {formats.spoken(planned)}."]
        return self.action_page(request, bulk_send, title, title, explanation, form=form)

    def cancel(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponse:
        title = "Cancel the rest"
        if bulk_send.state not in OPEN:
            return self._not_possible(request, bulk_send, title)
        if request.method == "POST":
            try:
                found = change.cancel(bulk_send, audit.person(request))
            except errors.BulkSendFinished:
                return self._not_possible(request, bulk_send, title)
            sent = formats.number(found.already_sent)
            done = f"{messages_of(bulk_send, found.cancelled)} cancelled, {sent} had already been sent."
            return self.action_done(request, self.row_url(bulk_send), done)
        explanation = [
            f"{formats.number(change.unclaimed(bulk_send))} of {messages_of(bulk_send, bulk_send.row_count)} "
            "will not be sent. The others have been sent or are being sent now.",
            "This cannot be undone.",
        ]
        return self.action_page(
            request, bulk_send, title, title, explanation, leave="Keep bulk send", is_destructive=True
        )

    def retry_failed(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponse:
        title = "Retry failed"
        number = failed_count(bulk_send)
        if not number:
            return self.error_page(request, bulk_send, title, _NOTHING_TO_RETRY)
        if request.method == "POST":
            person = ConsoleSender(
                service=bulk_send.service, key_type=KeyType(bulk_send.key_type), name=audit.author(request)
            )
            try:
                again, _ = retry.retry_failed(bulk_send, person, audit.person(request))
            except errors.NotificationError as error:
                return self.error_page(request, bulk_send, title, error.message)
            done = f"{messages_of(again, again.row_count)} will be sent again. This is the new bulk send."
            return self.action_done(request, self.row_url(again), done)
        explanation = [
            f"{messages_of(bulk_send, number)} could not be sent because of temporary or technical failures.",
            "They become a new bulk send with the newest version of the template, and are checked again.",
        ]
        button = f"Send {messages_of(bulk_send, number)} again"
        return self.action_page(request, bulk_send, title, button, explanation)

    def _changed(
        self,
        request: HttpRequest,
        bulk_send: BulkSend,
        title: str,
        make: Callable[[BulkSend, audit.Actor], None],
        done: str,
    ) -> HttpResponse:
        try:
            make(bulk_send, audit.person(request))
        except (errors.BulkSendFinished, errors.BulkSendNotScheduled):
            return self._not_possible(request, bulk_send, title)
        return self.action_done(request, self.row_url(bulk_send), done)

    def _not_possible(self, request: HttpRequest, bulk_send: BulkSend, title: str) -> HttpResponse:
        return self.error_page(request, bulk_send, title, _ENDED if bulk_send.has_ended else _OTHER_STATE)


def failed_count(bulk_send: BulkSend) -> int:
    """Return how many messages *Retry failed* sends again."""
    return retry.failed_rows(bulk_send, timezone.now()).count()


def messages_of(bulk_send: BulkSend, number: int) -> str:
    """Return a number of emails or text messages, in words."""
    return formats.counted(number, Channel(bulk_send.channel).noun)


def _waiting(bulk_send: BulkSend) -> str:
    wait = "waits" if bulk_send.waiting == 1 else "wait"
    return f"{messages_of(bulk_send, bulk_send.waiting)} {wait}"
