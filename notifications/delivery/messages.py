"""Messages to providers and their results. Provider adapters know no rows, services or templates.

Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §11.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Self
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingSms:
    """to: E.164 without the plus; reference: Signalbox's id of the message, the same for every attempt."""

    to: str
    content: str
    sender: str
    reference: str
    international: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingEmail:
    """Email addresses have ASCII hosts.

    envelope_sender: the email address to which mail servers return the email; None for from_address
    message_id: `<{id}@{domain}>`, the same for every attempt
    """

    from_name: str
    from_address: str
    to: str
    subject: str
    text: str
    html: str
    message_id: str
    reply_to: str | None = None
    envelope_sender: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Outgoing = OutgoingSms | OutgoingEmail


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The provider accepted the message. has_arrived: it is already delivered, and no receipt follows."""

    reference: str
    reply: str = ""
    has_arrived: bool = False


class ReceiptOutcome(StrEnum):
    """The result in a delivery receipt. A complaint changes no status."""

    DELIVERED = "delivered"
    PENDING = "pending"
    TEMPORARY_FAILURE = "temporary-failure"
    PERMANENT_FAILURE = "permanent-failure"
    TECHNICAL_FAILURE = "technical-failure"
    COMPLAINT = "complaint"

    @classmethod
    def of(cls, name: str) -> Self:
        """Return the outcome with this name. An unknown name is a technical failure.

        >>> ReceiptOutcome.of("pending"), ReceiptOutcome.of("eaten by a dog")
        (<ReceiptOutcome.PENDING: 'pending'>, <ReceiptOutcome.TECHNICAL_FAILURE: 'technical-failure'>)
        """
        return cls(name if name in set(cls) else cls.TECHNICAL_FAILURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A delivery receipt. It has the provider's `reference`, Signalbox's `notification_id`, or both.

    code: the provider's own code; at: the time of the event, if the provider reports it.
    """

    outcome: ReceiptOutcome
    reference: str = ""
    notification_id: UUID | None = None
    code: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartOf:
    """The position of a part in a long text. joint: shared by all its parts; number: from 1 to total."""

    joint: int
    total: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingText:
    """A received text, or a part of it. sender, recipient: numbers in the provider's format."""

    sender: str
    recipient: str
    content: str
    part_of: PartOf | None = None


class DeliveryFailure(Exception):
    """The provider did not accept the message.

    reason: a short text for the log, without recipient and content
    reply: the provider's answer; stored with the message, never logged
    """

    def __init__(self, reason: str, *, reply: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.reply = reply


class TemporaryFailure(DeliveryFailure):
    """A failure that is worth a retry.

    is_uncertain: the provider may have accepted the message
    opens_circuit: the provider rejects Signalbox's login, so no process sends it more messages
    retry_after: the delay that the provider asks for, if any
    """

    def __init__(
        self,
        reason: str,
        *,
        reply: str = "",
        is_uncertain: bool = False,
        opens_circuit: bool = False,
        retry_after: timedelta | None = None,
    ) -> None:
        super().__init__(reason, reply=reply)
        self.is_uncertain = is_uncertain
        self.opens_circuit = opens_circuit
        self.retry_after = retry_after


class PermanentFailure(DeliveryFailure):
    """A final rejection. is_recipients: because of the recipient or the message, not because of Signalbox."""

    def __init__(self, reason: str, *, reply: str = "", is_recipients: bool = False) -> None:
        super().__init__(reason, reply=reply)
        self.is_recipients = is_recipients
