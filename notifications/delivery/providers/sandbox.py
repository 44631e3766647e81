"""Nothing leaves this machine: what would have been sent is kept for the sandbox inbox, sealed.

Source: Developer experience §9.
"""

from collections.abc import Mapping
from uuid import UUID

from django.conf import settings

from notifications.delivery.messages import (
    Accepted,
    IncomingText,
    Outgoing,
    OutgoingEmail,
    OutgoingSms,
    ReportUnreadable,
)
from notifications.models import Channel, SandboxContent, SandboxMessage

LONGEST_NUMBER = 40


class Sandbox:
    """Takes everything, for both channels, and knows at once that it has arrived."""

    carries: tuple[type[Outgoing], ...] = (OutgoingEmail, OutgoingSms)

    def __init__(self, name: str = "sandbox") -> None:
        self.name = name

    def send(self, message: Outgoing) -> Accepted:
        kept = keep(message)
        return Accepted(reference=str(kept.notification_id), has_arrived=True)

    @property
    def posting_token(self) -> str:
        """Return what opens this provider's addresses from elsewhere; whoever sits at this machine needs none."""
        token: str = settings.SANDBOX_TOKEN
        return token

    def incoming_text(self, report: Mapping[str, object]) -> IncomingText:
        """Read `{"from", "to", "content"}`. Raises ReportUnreadable."""
        return IncomingText(
            sender=_text(report, "from", most=LONGEST_NUMBER),
            recipient=_text(report, "to", most=LONGEST_NUMBER),
            content=_text(report, "content"),
        )


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


def _text(report: Mapping[str, object], name: str, *, most: int | None = None) -> str:
    value = report.get(name)
    if not isinstance(value, str) or (most is not None and not 0 < len(value) <= most):
        raise ReportUnreadable(f"{name} must be a string" + (f" of 1 to {most} characters" if most else ""))
    return value
