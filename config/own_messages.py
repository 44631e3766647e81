"""Messages of Signalbox to its own people, such as those of an alarm. An area that can send registers its channels.

Source: docs/reference/alarms.md §4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from uuid import UUID

from config import areas


class Handover(Enum):
    """The result of a send. REFUSED is permanent; NOT_YET is worth a retry."""

    TAKEN = auto()
    REFUSED = auto()
    NOT_YET = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMessage:
    """identifier: the same for every attempt; subject: of emails; text: paragraphs with an empty line between them"""

    to: str
    subject: str
    text: str
    identifier: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnChannel:
    """One way to reach people.

    name: `email` or `sms`
    parse: return a recipient as it is stored. Raises InvalidValue
    send: hand one message to a provider; it may take 30 s
    """

    name: str
    parse: Callable[[str], str]
    send: Callable[[OwnMessage], Handover]


def channel(name: str) -> OwnChannel | None:
    """Return the channel of this name, or None if no installed area has it."""
    return next((one for one in areas.parts(OwnChannel) if one.name == name), None)
