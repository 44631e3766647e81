"""Titles of message statuses in the console. Source: docs/reference/console.md §2.9."""

import re
from collections.abc import Mapping

from django.utils.safestring import SafeString

from config.console import cells
from notifications.delivery.messages import AFTER_CONTENT
from notifications.models import Channel, Notification, Status
from notifications.models.status import COMPLETED, FAILURES

GROUPS: Mapping[str, tuple[str, frozenset[Status]]] = {
    "delivering": ("Delivering", frozenset(Status) - COMPLETED),
    "delivered": ("Delivered", COMPLETED - FAILURES - {Status.CANCELLED}),
    "failed": ("Failed", FAILURES),
}

_TITLES = {
    Status.CREATED: ("Delivering", ""),
    Status.SENDING: ("Delivering", ""),
    Status.PENDING: ("Delivering", ""),
    Status.SENT: ("Sent, no receipt expected", "good"),
    Status.DELIVERED: ("Delivered", "good"),
    Status.CANCELLED: ("Cancelled", ""),
    Status.TEMPORARY_FAILURE: ("Not accepted for now", "warn"),
    Status.TECHNICAL_FAILURE: ("Technical failure: we could not send it", "bad"),
}
_BAD_EMAIL_ADDRESS = ("Email address does not exist", "bad")
_REFUSED = {Channel.EMAIL: ("Refused by the mail server", "bad"), Channel.SMS: ("Not delivered", "bad")}

_ENHANCED_CODE = re.compile(r"\b5\.(\d{1,3})\.\d{1,3}\b")  # RFC 3463
_ABOUT_EMAIL_ADDRESS = "1"  # RFC 3463: the subject "addressing status"
_REJECTED_BY_PROVIDER = frozenset({"blocked", "rejected", "spam", "unsubscribed"})  # the email address may exist


def of(message: Notification) -> str:
    return _title_and_tone(message)[0]


def cell(message: Notification) -> SafeString:
    """Return the title as a chip, with the API's status below in small type."""
    return cells.two_lines(cells.chip(*_title_and_tone(message)), message.status)


def has_bad_email_address(message: Notification) -> bool:
    """Return whether the mail server or the provider reports that the email address does not exist."""
    codes = [one["code"] for one in message.receipts if one["outcome"] == Status.PERMANENT_FAILURE]
    code_text = codes[-1] if codes else message.attempts[-1]["reply"] if message.attempts else ""
    code = _ENHANCED_CODE.search(code_text)
    if code:
        return code[1] == _ABOUT_EMAIL_ADDRESS
    return not code_text.endswith(AFTER_CONTENT) and code_text not in _REJECTED_BY_PROVIDER


def _title_and_tone(message: Notification) -> tuple[str, str]:
    status, channel = Status(message.status), Channel(message.channel)
    if status == Status.DELIVERED and message.is_acceptance_final:
        return "Accepted by the mail server", "good"
    if message.has_expired:
        return "Expired", "bad"
    if message.suppressed_by:
        return "Suppressed", "warn"
    if message.is_scheduled:
        return "Scheduled", ""
    if status == Status.PERMANENT_FAILURE:
        return _BAD_EMAIL_ADDRESS if channel == Channel.EMAIL and has_bad_email_address(message) else _REFUSED[channel]
    return _TITLES[status]
