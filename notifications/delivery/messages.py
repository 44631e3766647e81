"""What a provider is handed, and what it may answer. A provider knows nothing of rows, services or templates.

Source: the sending contract §19.2; Security and reliability §11.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Self
from uuid import UUID


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


# Ends the words of a mail server that refused an email after it had seen the content, and so not for its address alone.
AFTER_CONTENT = " (after the content)"


class Outcome(StrEnum):
    """What a provider can report of a message it has taken. A complaint changes no status."""

    DELIVERED = "delivered"
    PENDING = "pending"
    TEMPORARY_FAILURE = "temporary-failure"
    PERMANENT_FAILURE = "permanent-failure"
    TECHNICAL_FAILURE = "technical-failure"
    COMPLAINT = "complaint"

    @classmethod
    def of(cls, word: str) -> Self:
        """Return the outcome of this name; one we do not know is a technical failure.

        >>> Outcome.of("pending"), Outcome.of("eaten by a dog")
        (<Outcome.PENDING: 'pending'>, <Outcome.TECHNICAL_FAILURE: 'technical-failure'>)
        """
        return cls(word if word in set(cls) else cls.TECHNICAL_FAILURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of a message. Of reference (the provider's) and notification_id (ours) there is at least one.

    code: the provider's own word for it; at: when it happened, where the provider says so.
    """

    outcome: Outcome
    reference: str = ""
    notification_id: UUID | None = None
    code: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartOf:
    """Which part of a long text this is. joint: what all its parts have in common; number: from 1 to total."""

    joint: int
    total: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingText:
    """A text somebody has sent to us, or a part of it. sender, recipient: numbers as the provider writes them."""

    sender: str
    recipient: str
    content: str
    part_of: PartOf | None = None


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
    is_our_fault: it refuses us, not the message, such as a wrong password: it is paused at once
    retry_after: how long it wants to be left alone with this message, where it says so
    """

    def __init__(
        self,
        reason: str,
        *,
        reply: str = "",
        is_uncertain: bool = False,
        is_our_fault: bool = False,
        retry_after: timedelta | None = None,
    ) -> None:
        super().__init__(reason, reply=reply)
        self.is_uncertain = is_uncertain
        self.is_our_fault = is_our_fault
        self.retry_after = retry_after


class PermanentFailure(DeliveryFailure):
    """Refused for good. is_recipients: because of the recipient, or the message; otherwise for reasons of our own."""

    def __init__(self, reason: str, *, reply: str = "", is_recipients: bool = False) -> None:
        super().__init__(reason, reply=reply)
        self.is_recipients = is_recipients
