"""Nothing leaves this machine: what would have been sent is kept for the sandbox inbox, sealed.

Source: Developer experience §9.
"""

from uuid import UUID

from notifications.delivery.messages import Accepted, Outgoing, OutgoingEmail, OutgoingSms
from notifications.models import Channel, SandboxContent, SandboxMessage


class Sandbox:
    """Takes everything, for both channels, and knows at once that it has arrived."""

    carries: tuple[type[Outgoing], ...] = (OutgoingEmail, OutgoingSms)

    def __init__(self, name: str = "sandbox") -> None:
        self.name = name

    def send(self, message: Outgoing) -> Accepted:
        kept = keep(message)
        return Accepted(reference=str(kept.notification_id), has_arrived=True)


def keep(message: Outgoing) -> SandboxMessage:
    """Put one message into the inbox."""
    if isinstance(message, OutgoingSms):
        content = SandboxContent(to=message.to, sender=message.sender, text=message.content)
        return SandboxMessage.objects.seal(UUID(message.reference), Channel.SMS, content)
    content = SandboxContent(
        to=message.to,
        sender=f"{message.from_name} <{message.from_address}>",
        subject=message.subject,
        text=message.text,
        html=message.html,
        headers={
            "Message-ID": message.message_id,
            **({"Reply-To": message.reply_to} if message.reply_to else {}),
            **message.headers,
        },
    )
    identifier = UUID(message.message_id.strip("<>").partition("@")[0])
    return SandboxMessage.objects.seal(identifier, Channel.EMAIL, content)
