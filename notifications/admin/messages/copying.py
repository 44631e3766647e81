"""*Send a copy to me* on the page of a message. Source: docs/reference/console.md §2.10."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from config import audit
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.admin.row_actions import Button
from notifications import errors
from notifications.admin import permissions
from notifications.admin.messages import own_recipient
from notifications.models import Channel, Notification, Role
from notifications.submission.sending import copies
from notifications.submission.sending.copies import CannotCopy
from notifications.submission.templates import redaction

COPY = "copy"
_TITLE = "Send a copy to me"
_NO_NUMBER = "You have no phone number in the team of this service. Ask somebody who manages the service to add it."
_NO_EMAIL_ADDRESS = "Your account has no email address. Ask an operator to add it, on your page under Users."


def buttons(request: HttpRequest, message: Notification) -> list[Button]:
    """Return the button of the message's page if this person may send and read the message."""
    if redaction.is_on(message) or not permissions.may_in(request, message.service_id, [Role.SEND_MESSAGES]):
        return []
    if message.channel == Channel.SMS and not own_recipient.find(request, message.service, Channel.SMS):
        return []
    return [Button(_TITLE, url=reverse("admin:notifications_notification_copy", args=[message.pk]))]


class CopyAction(ConsoleModelAdmin):
    """The action on one message."""

    def copy(self, request: HttpRequest, message: Notification) -> HttpResponse:
        channel = Channel(message.channel)
        to = own_recipient.find(request, message.service, channel)
        if not to:
            missing = _NO_NUMBER if channel is Channel.SMS else _NO_EMAIL_ADDRESS
            return self.error_page(request, message, _TITLE, missing)
        try:
            copies.check(message)
            if request.method == "POST":
                new = copies.send(message, audit.author(request), to)
                self.audit(request, "copied_message", message, after={"copy": str(new.pk)})
                return self.action_done(request, self.row_url(new), "The copy is being sent to you.")
        except CannotCopy as reason:
            return self.error_page(request, message, _TITLE, str(reason))
        except errors.NotificationError as error:
            return self.error_page(request, message, _TITLE, f"The copy was not sent. {error.message}")
        explanation = [
            f"The {channel.noun} is sent to {to} with the same text, as a new message without a reference.",
            "It is a real message, and it counts towards the daily limit.",
        ]
        return self.action_page(
            request, message, title=_TITLE, button=f"Send 1 {channel.noun} to me", explanation=explanation
        )
