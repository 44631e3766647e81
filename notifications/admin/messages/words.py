"""How a message's status is told to staff. Source: Staff console §2.9."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from config.console import cells
from notifications.models import Channel, Notification, Status
from notifications.models.status import COMPLETED, FAILURES

GROUPS: Mapping[str, tuple[str, frozenset[Status]]] = {
    "delivering": ("Delivering", frozenset(Status) - COMPLETED),
    "delivered": ("Delivered", COMPLETED - FAILURES),
    "failed": ("Failed", FAILURES),
}

_WORDS = {
    Status.CREATED: ("Delivering", ""),
    Status.SENDING: ("Delivering", ""),
    Status.PENDING: ("Delivering", ""),
    Status.SENT: ("Sent, no receipt expected", "good"),
    Status.DELIVERED: ("Delivered", "good"),
    Status.TEMPORARY_FAILURE: ("Not accepted for now", "warn"),
    Status.TECHNICAL_FAILURE: ("Our fault: could not be handed over", "bad"),
}
_NOT_REACHED = {Channel.EMAIL: "Address does not exist", Channel.SMS: "Not delivered"}


def in_words(status: Status, channel: Channel) -> str:
    return _told(status, channel)[0]


def of(message: Notification) -> str:
    return _told_of(message)[0]


def cell(message: Notification) -> SafeString:
    """Return the words as a chip, the API's value below in small type."""
    return cells.two_lines(cells.chip(*_told_of(message)), message.status)


def _told_of(message: Notification) -> tuple[str, str]:
    if message.status == Status.DELIVERED and message.is_acceptance_final:
        return "Accepted by the mail server", "good"
    if message.has_expired:
        return "Its time was over", "bad"
    return _told(Status(message.status), Channel(message.channel))


def _told(status: Status, channel: Channel) -> tuple[str, str]:
    return _WORDS.get(status) or (_NOT_REACHED[channel], "bad")
