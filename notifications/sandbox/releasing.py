"""Send one message of the inbox for real, to a recipient of the team. Source: docs/reference/running.md §9."""

import uuid

from django.conf import settings

from notifications import errors
from notifications.delivery import own_email
from notifications.delivery.messages import Outgoing, OutgoingEmail, OutgoingSms
from notifications.delivery.own_email import Handed
from notifications.models import Channel
from notifications.recipients import email, phone
from notifications.sandbox.inbox import Arrived
from notifications.submission import policy

# Mail programs would unsubscribe the first recipient.
_LEFT_OUT = frozenset({"message-id", "reply-to", "list-unsubscribe", "list-unsubscribe-post"})
_REASONS = {
    Handed.REFUSED: "the provider rejected it",
    Handed.NOT_YET: "no provider accepted it. Try again later",
}


def release(arrived: Arrived, to: str) -> None:
    """Send a copy to a member of the team or a guest of its service. Raises SandboxReleaseRefused."""
    message = arrived.notification
    if message is None:
        raise errors.SandboxReleaseRefused(reason="it belongs to no service, or is deleted")
    if not own_email.leaves(arrived.channel):
        raise errors.SandboxReleaseRefused(reason="this installation has no other provider than the sandbox")
    try:
        is_email = arrived.channel is Channel.EMAIL
        recipient = policy.parse_email_address(to) if is_email else policy.parse_number(to, message.service)
    except (errors.NotificationError, email.InvalidEmailAddress, phone.InvalidPhoneNumber) as error:
        raise errors.SandboxReleaseRefused(reason="the recipient is not valid") from error
    if not policy.is_known(message.service, recipient):
        raise errors.SandboxReleaseRefused(reason="the recipient is not in the team or the guest list")
    is_subscription = "list-unsubscribe" in {name.lower() for name in arrived.headers}
    if policy.suppression_of(message.service_id, arrived.channel, recipient, is_subscription=is_subscription):
        raise errors.SandboxReleaseRefused(reason="the recipient is suppressed for this service")
    result = own_email.hand_over(_copy(arrived, recipient), about="release from the sandbox", must_leave=True)
    if result in _REASONS:
        raise errors.SandboxReleaseRefused(reason=_REASONS[result])


def _copy(arrived: Arrived, recipient: email.EmailAddress | phone.PhoneNumber) -> Outgoing:
    """Return the message for the other recipient, with an id of its own, so that its receipts belong to no message."""
    identifier = uuid.uuid4()
    if isinstance(recipient, phone.PhoneNumber):
        return OutgoingSms(
            to=recipient.normalised,
            content=arrived.text,
            sender=arrived.sender,
            reference=str(identifier),
            international=recipient.is_international,
        )
    name, _, email_address = arrived.sender.rpartition(" <")
    return OutgoingEmail(
        from_name=name,
        from_address=email_address.rstrip(">"),
        to=recipient.ascii,
        subject=arrived.subject or "",
        text=arrived.text,
        html=arrived.html or "",
        message_id=f"<{identifier}@{settings.EMAIL_DOMAIN}>",
        reply_to=arrived.headers.get("Reply-To"),
        headers={name: value for name, value in arrived.headers.items() if name.lower() not in _LEFT_OUT},
    )
