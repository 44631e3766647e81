"""Emails from Signalbox to its users, such as invites. The worker sends them immediately.

They belong to no service: Signalbox does not count or store them and ignores their delivery receipts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from uuid import UUID

import structlog
from django.conf import settings

from notifications.delivery import providers
from notifications.delivery.messages import OutgoingEmail, OutgoingSms, PermanentFailure, TemporaryFailure
from notifications.delivery.providers import Provider
from notifications.delivery.providers.sandbox import Sandbox
from notifications.models import Channel
from notifications.rendering.document import html_document
from notifications.rendering.email import EmailText
from notifications.rendering.sanitise import without_markdown

AGAIN_AFTER = timedelta(
    minutes=5
)  # after an attempt that no provider accepted; also the lease of the worker that sends it

log = structlog.get_logger()


class Handed(Enum):
    """The result of a send. REFUSED is permanent; NOT_YET is worth a retry."""

    TAKEN = auto()
    REFUSED = auto()
    NOT_YET = auto()


def can_reach_people() -> bool:
    """Return whether a provider other than the sandbox sends email."""
    return leaves(Channel.EMAIL)


def leaves(channel: Channel) -> bool:
    """Return whether a provider other than the sandbox sends the messages of a channel."""
    kind: type[OutgoingEmail | OutgoingSms] = OutgoingEmail if channel == Channel.EMAIL else OutgoingSms
    return any(kind in provider.adapter.carries for provider in providers.configured() if _leads_out(provider))


@dataclass(frozen=True, slots=True)
class LinkParagraph:
    """A paragraph with a URL that the reader can open."""

    url: str


def compose(subject: str, paragraphs: Iterable[str | LinkParagraph]) -> EmailText:
    """Return the text of an email. Names, and texts that people typed, appear as they are and not as Markdown."""
    written = (part.url if isinstance(part, LinkParagraph) else without_markdown(part) for part in paragraphs)
    return EmailText(subject=subject, filled="\n\n".join(written))


def write(text: EmailText, *, to: str, identifier: UUID) -> OutgoingEmail:
    """Return the email. to: with the host in ASCII; identifier: the same for every attempt."""
    return OutgoingEmail(
        from_name="Signalbox",
        from_address=f"signalbox@{settings.EMAIL_DOMAIN}",
        to=to,
        subject=text.subject,
        text=text.plain,
        html=html_document(text),
        message_id=f"<{identifier}@{settings.EMAIL_DOMAIN}>",
    )


def hand_over(message: OutgoingEmail | OutgoingSms, *, about: str, must_leave: bool = False) -> Handed:
    """Send one email, or a text from the sandbox, through the first provider that accepts it.

    about: the subject for the log
    must_leave: do not send it to the sandbox inbox
    """
    for provider in providers.able_to_take(message):
        if (must_leave and not _leads_out(provider)) or not provider.allows():
            continue
        try:
            provider.send(message)
        except PermanentFailure as failure:
            log.warning("own_email.refused", about=about, provider=provider.name, reason=failure.reason)
            return Handed.REFUSED
        except TemporaryFailure as failure:
            log.warning("own_email.not_taken", about=about, provider=provider.name, reason=failure.reason)
            continue
        return Handed.TAKEN
    return Handed.NOT_YET


def _leads_out(provider: Provider) -> bool:
    return not isinstance(provider.adapter, Sandbox)
