"""Why a message failed, as the console and the statistics name it. Source: docs/reference/console.md §2.9."""

import re
from typing import TYPE_CHECKING

from django.db import models

from notifications.models.channel import Channel
from notifications.models.status import FAILURES, Status

if TYPE_CHECKING:
    from notifications.models.notification import Notification

# Suffix of a mail server's reply if it rejected an email after the content, so not only because of the recipient.
AFTER_CONTENT = " (after the content)"

_ENHANCED_CODE = re.compile(r"\b5\.(\d{1,3})\.\d{1,3}\b")  # RFC 3463
_ABOUT_EMAIL_ADDRESS = "1"  # RFC 3463: the subject "addressing status"
_REJECTED_BY_PROVIDER = frozenset({"blocked", "rejected", "spam", "unsubscribed"})  # the email address may exist


class FailureReason(models.TextChoices):
    EXPIRED = "expired", "Expired"
    SUPPRESSED = "suppressed", "Suppressed"
    BAD_EMAIL_ADDRESS = "bad-email-address", "Email address does not exist"
    REFUSED = "refused", "Refused by the mail server"
    NOT_DELIVERED = "not-delivered", "Not delivered"
    NOT_ACCEPTED = "not-accepted", "Not accepted for now"
    TECHNICAL = "technical", "Technical failure: we could not send it"


def reason_of(message: "Notification") -> FailureReason | None:
    """Return why a message failed, or None if it did not fail."""
    if message.status not in FAILURES:
        return None
    if message.has_expired:
        return FailureReason.EXPIRED
    if message.suppressed_by:
        return FailureReason.SUPPRESSED
    if message.status == Status.TEMPORARY_FAILURE:
        return FailureReason.NOT_ACCEPTED
    if message.status == Status.TECHNICAL_FAILURE:
        return FailureReason.TECHNICAL
    if message.channel == Channel.SMS:
        return FailureReason.NOT_DELIVERED
    return FailureReason.BAD_EMAIL_ADDRESS if has_bad_email_address(message) else FailureReason.REFUSED


def has_bad_email_address(message: "Notification") -> bool:
    """Return whether the mail server or the provider reports that the email address does not exist."""
    codes = [one["code"] for one in message.receipts if one["outcome"] == Status.PERMANENT_FAILURE]
    code_text = codes[-1] if codes else message.attempts[-1]["reply"] if message.attempts else ""
    code = _ENHANCED_CODE.search(code_text)
    if code:
        return code[1] == _ABOUT_EMAIL_ADDRESS
    return not code_text.endswith(AFTER_CONTENT) and code_text not in _REJECTED_BY_PROVIDER
