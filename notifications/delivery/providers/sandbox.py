"""Nothing leaves this machine: what would have been sent is kept for the sandbox inbox, sealed.

Source: Developer experience §9.
"""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest

from config import callers
from notifications.delivery.messages import Accepted, Outgoing, OutgoingEmail, OutgoingSms
from notifications.delivery.posts import OwnForm
from notifications.models import Channel, SandboxContent, SandboxMessage

SANDBOX = "sandbox"  # in PROVIDERS, and on messages; no other provider has this name


class Sandbox(OwnForm):
    """Takes everything, for both channels, and knows at once that it has arrived."""

    carries: tuple[type[Outgoing], ...] = (OutgoingEmail, OutgoingSms)
    is_askable = True
    reports_deliveries = True

    def __init__(self, name: str = SANDBOX) -> None:
        self.name = name

    def send(self, message: Outgoing) -> Accepted:
        kept = keep(message)
        return Accepted(reference=str(kept.notification_id), has_arrived=True)

    def find(self, message: Outgoing) -> Accepted | None:
        """Look whether the inbox has it: a worker may have died between that and its note of it."""
        identifier = _identifier(message)
        if SandboxMessage.objects.filter(notification_id=identifier).exists():
            return Accepted(reference=str(identifier), reply="It was there already.", has_arrived=True)
        return None

    @property
    def posting_token(self) -> str:  # type: ignore[override]  # the setting may change under a test, and then counts
        token: str = settings.SANDBOX_TOKEN
        return token

    def check_caller(self, request: HttpRequest) -> None:
        """Let in whoever sits at this machine and shows nothing, too."""
        if "Authorization" in request.headers or not callers.is_at_this_machine(request):
            super().check_caller(request)


def keep(message: Outgoing) -> SandboxMessage:
    """Put one message into the inbox."""
    if isinstance(message, OutgoingSms):
        content = SandboxContent(to=message.to, sender=message.sender, text=message.content)
        return SandboxMessage.objects.seal(_identifier(message), Channel.SMS, content)
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
    return SandboxMessage.objects.seal(_identifier(message), Channel.EMAIL, content)


def _identifier(message: Outgoing) -> UUID:
    if isinstance(message, OutgoingSms):
        return UUID(message.reference)
    return UUID(message.message_id.strip("<>").partition("@")[0])
