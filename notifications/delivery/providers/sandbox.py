"""The sandbox stores messages, encrypted, for the sandbox inbox instead of sending them.

Source: docs/reference/running.md §9.
"""

from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from config.web.ip_addresses import is_local
from notifications.delivery import sandbox_outcomes
from notifications.delivery.messages import Accepted, Outgoing, OutgoingEmail, OutgoingSms
from notifications.delivery.posts import OwnForm
from notifications.models import Channel, SandboxContent, SandboxMessage

SANDBOX = "sandbox"  # reserved as a name in PROVIDERS and on messages


class Sandbox(OwnForm):
    """Accepts every message of both channels as delivered, unless a rule of the sandbox chooses something else."""

    carries: tuple[type[Outgoing], ...] = (OutgoingEmail, OutgoingSms)
    is_askable = True
    sends_receipts = True

    def __init__(self, name: str = SANDBOX) -> None:
        self.name = name

    def send(self, message: Outgoing) -> Accepted:
        return take(message)

    def find(self, message: Outgoing) -> Accepted | None:
        """Look the message up in the inbox: a worker may have died before it recorded the message as sent."""
        identifier = _identifier(message)
        if SandboxMessage.objects.filter(notification_id=identifier).exists():
            return Accepted(reference=str(identifier), reply="It was already in the inbox.", has_arrived=True)
        return None

    @property
    def posting_token(self) -> str:  # type: ignore[override]  # read for each request, because tests change the setting
        token: str = settings.SANDBOX_TOKEN
        return token

    def check_caller(self, request: HttpRequest) -> None:
        """Also allow requests from this machine without credentials."""
        if "Authorization" in request.headers or not is_local(request):
            super().check_caller(request)


def take(message: Outgoing) -> Accepted:
    """Store one message for the inbox, and store what happens next to it. Raises TemporaryFailure by a rule."""
    identifier = _identifier(message)
    found = sandbox_outcomes.rule_for(identifier)
    if found is None:
        keep(message)
        return Accepted(reference=str(identifier), has_arrived=True)
    sandbox_outcomes.before_acceptance(*found)
    with transaction.atomic():
        keep(message)
        has_arrived = sandbox_outcomes.after_acceptance(*found)
    return Accepted(reference=str(identifier), has_arrived=has_arrived)


def keep(message: Outgoing) -> SandboxMessage:
    """Store one message for the inbox."""
    if isinstance(message, OutgoingSms):
        content = SandboxContent(to=message.to, sender=message.sender, text=message.content)
        return SandboxMessage.objects.store(_identifier(message), Channel.SMS, content)
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
    return SandboxMessage.objects.store(_identifier(message), Channel.EMAIL, content)


def _identifier(message: Outgoing) -> UUID:
    if isinstance(message, OutgoingSms):
        return UUID(message.reference)
    return UUID(message.message_id.strip("<>").partition("@")[0])
