"""Titles of message statuses in the console. Source: docs/reference/console.md §2.9."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from config.console import cells
from notifications.models import Notification, Status
from notifications.models.failure_reason import FailureReason, reason_of
from notifications.models.status import COMPLETED, FAILURES

GROUPS: Mapping[str, tuple[str, frozenset[Status]]] = {
    "delivering": ("Delivering", frozenset(Status) - COMPLETED),
    "delivered": ("Delivered", COMPLETED - FAILURES - {Status.CANCELLED}),
    "failed": ("Failed", FAILURES),
}

EXACT = {
    Status.CREATED: "Waiting to be sent",
    Status.SENDING: "With the provider",
    Status.PENDING: "With the provider, first receipt received",
    Status.SENT: "Sent, no receipt expected",
    Status.TEMPORARY_FAILURE: "Not accepted for now",
    Status.PERMANENT_FAILURE: "Cannot be delivered",
    Status.TECHNICAL_FAILURE: "Could not be sent by us",
    Status.CANCELLED: "Cancelled",
}
_TITLES = {
    Status.CREATED: ("Delivering", ""),
    Status.SENDING: ("Delivering", ""),
    Status.PENDING: ("Delivering", ""),
    Status.SENT: ("Sent, no receipt expected", "good"),
    Status.DELIVERED: ("Delivered", "good"),
    Status.CANCELLED: ("Cancelled", ""),
}
_TONES = {FailureReason.SUPPRESSED: "warn", FailureReason.NOT_ACCEPTED: "warn"}  # of the others: bad


def of(message: Notification) -> str:
    return _title_and_tone(message)[0]


def chip(message: Notification) -> SafeString:
    return cells.chip(*_title_and_tone(message))


def _title_and_tone(message: Notification) -> tuple[str, str]:
    status = Status(message.status)
    if status == Status.DELIVERED and message.is_acceptance_final:
        return "Accepted by the mail server", "good"
    if reason := reason_of(message):
        return reason.label, _TONES.get(reason, "bad")
    if message.is_scheduled:
        return "Scheduled", ""
    return _TITLES[status]
