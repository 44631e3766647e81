"""What a provider is handed, and what it may answer. A provider knows nothing of rows, services or templates.

Source: the sending contract §19.2; Security and reliability §11.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingSms:
    """to: E.164 without the plus; reference: our id of the message, the same at every try."""

    to: str
    content: str
    sender: str
    reference: str
    international: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingEmail:
    """Hosts of all addresses are in ASCII. message_id: `<{id}@{domain}>`, the same at every try."""

    from_name: str
    from_address: str
    to: str
    subject: str
    text: str
    html: str
    message_id: str
    reply_to: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Outgoing = OutgoingSms | OutgoingEmail


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The provider has it. has_arrived: it is known to be with the recipient already, no receipt will come."""

    reference: str
    reply: str = ""
    has_arrived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingText:
    """A text somebody has sent to us. sender, recipient: numbers as the provider writes them."""

    sender: str
    recipient: str
    content: str


class ReportUnreadable(Exception):
    """What a provider has posted back is not in its own form; the message says what is wrong with it."""


class DeliveryFailure(Exception):
    """The provider has not taken it.

    reason: a few words for the log; no recipient and no content
    reply: what the provider said, word for word; kept with the message, never logged
    """

    def __init__(self, reason: str, *, reply: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.reply = reply


class TemporaryFailure(DeliveryFailure):
    """Worth trying again.

    is_uncertain: the provider may have taken it after all; nobody can know
    is_our_fault: it refuses us, not the message, such as a wrong password: it is left alone for a minute at once
    """

    def __init__(self, reason: str, *, reply: str = "", is_uncertain: bool = False, is_our_fault: bool = False) -> None:
        super().__init__(reason, reply=reply)
        self.is_uncertain = is_uncertain
        self.is_our_fault = is_our_fault


class PermanentFailure(DeliveryFailure):
    """Refused for good. is_recipients: because of the recipient, or the message; otherwise for reasons of our own."""

    def __init__(self, reason: str, *, reply: str = "", is_recipients: bool = False) -> None:
        super().__init__(reason, reply=reply)
        self.is_recipients = is_recipients
