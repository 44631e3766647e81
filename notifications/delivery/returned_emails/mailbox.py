"""Take in emails: reports of mail servers, and replies of people.

Source: docs/reference/suppressions.md §5; docs/reference/inbox.md §4.
"""

from collections.abc import Sequence
from enum import StrEnum

import structlog

from notifications.delivery import reply_to_checks, status
from notifications.delivery.messages import Outcome, Receipt
from notifications.delivery.returned_emails import parsing, replies, storing
from notifications.delivery.returned_emails.parsing import Returned
from notifications.models import Notification, SuppressionSource

MOST_BYTES = 32 * 1024 * 1024  # a report may contain the whole email with its files

log = structlog.get_logger()


class Taken(StrEnum):
    """What became of an email. Its sender gets no answer in any case."""

    APPLIED = "applied"
    STORED = "stored"
    IGNORED = "ignored"
    UNKNOWN_MESSAGE = "unknown message"


def take_in(data: bytes, recipients: Sequence[str] = ()) -> Taken:
    """Apply the bounce or complaint in an email to its message as a delivery receipt, or store the email as a reply.

    A repeated email changes nothing. recipients: those of the envelope, if known
    """
    try:
        returned = parsing.parse(data)
        reply = replies.parse(data, recipients) if returned is None else None
    except RecursionError:  # thousands of nested parts
        returned = reply = None
    if returned is not None:
        taken = _apply(returned)
    else:
        taken = Taken.STORED if reply is not None and storing.store(reply) else Taken.IGNORED
    log.info("mailbox.taken_in", taken=taken.value)
    return taken


def _apply(returned: Returned) -> Taken:
    found = Notification.objects.filter(pk=returned.notification_id)
    message = found.only("provider", "normalised_recipient").first()
    if message is None:
        is_bounce = returned.outcome != Outcome.COMPLAINT
        is_link = is_bounce and reply_to_checks.note_bounce(returned.notification_id)
        return Taken.APPLIED if is_link else Taken.UNKNOWN_MESSAGE
    # If the recipient forwards their emails, another email address may be the one that does not exist.
    is_about_recipient = not returned.recipients or message.normalised_recipient in returned.recipients
    code = returned.code if is_about_recipient else f"forwarded: {returned.code}"
    receipt = Receipt(outcome=returned.outcome, notification_id=message.id, code=code)
    is_known = status.apply(message.provider, receipt, source=SuppressionSource.MAILBOX)
    return Taken.APPLIED if is_known else Taken.UNKNOWN_MESSAGE
