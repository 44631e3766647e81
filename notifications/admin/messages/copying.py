"""*Send a copy to me* on the page of a message. Source: docs/reference/console.md §2.10."""

from django.http import HttpRequest, HttpResponse

from config import audit
from config.console.admin.model_admin import ConsoleModelAdmin
from notifications import errors
from notifications.models import Channel, Notification, Service, TeamMember
from notifications.submission.sending import copies
from notifications.submission.sending.copies import CannotCopy

COPY = "copy"
TITLE = "Send a copy to me"
_NO_NUMBER = "You have no phone number in the team of this service. Ask somebody who manages the service to add it."
_NO_EMAIL_ADDRESS = "Your account has no email address. Ask an operator to add it, on your page under Users."


class CopyAction(ConsoleModelAdmin):
    """The action on one message."""

    def copy(self, request: HttpRequest, message: Notification) -> HttpResponse:
        channel = Channel(message.channel)
        to = own_recipient(request, message.service, channel)
        if not to:
            missing = _NO_NUMBER if channel is Channel.SMS else _NO_EMAIL_ADDRESS
            return self.error_page(request, message, TITLE, missing)
        try:
            copies.check(message)
            if request.method == "POST":
                new = copies.send(message, audit.author(request), to)
                self.audit(request, "copied_message", message, after={"copy": str(new.pk)})
                return self.action_done(request, self.row_url(new), "The copy is being sent to you.")
        except CannotCopy as reason:
            return self.error_page(request, message, TITLE, str(reason))
        except errors.NotificationError as error:
            return self.error_page(request, message, TITLE, f"The copy was not sent. {error.message}")
        explanation = [
            f"The {channel.noun} is sent to {to} with the same text, as a new message without a reference.",
            "It is a real message, and it counts towards the daily limit.",
        ]
        return self.action_page(request, message, TITLE, f"Send 1 {channel.noun} to me", explanation)


def own_recipient(request: HttpRequest, service: Service, channel: Channel) -> str:
    """Return the email address or phone number of this person: of the team, else the email address of the account."""
    member = TeamMember.objects.filter(service=service, user_id=request.user.pk or 0).first()
    if channel is Channel.SMS:
        return member.phone_number if member else ""
    return member.email_address if member else getattr(request.user, "email", "")
