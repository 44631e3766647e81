"""Send a copy of a message to a member of staff. Source: docs/reference/console.md §2.10."""

import structlog

from config.erased import ERASED
from notifications.models import KeyType, Notification
from notifications.submission.callers import ConsoleSender
from notifications.submission.sending import sent_again
from notifications.submission.templates import redaction

log = structlog.get_logger()


class CannotCopy(Exception):
    """The message cannot be copied. The text states the reason."""


def check(message: Notification) -> None:
    """Raise CannotCopy if the text of the message is redacted, or if it has a file."""
    if message.recipient == ERASED:
        raise CannotCopy("The text of this message has been erased.")
    if redaction.is_on(message):
        raise CannotCopy("The template of this message redacts personal details, so nobody may read a copy of it.")
    if sent_again.has_files(message):
        raise CannotCopy(
            "This message has a file. We cannot send the file again, because its key is only in the link that the "
            "recipient has."
        )


def send(message: Notification, by: str, to: str) -> Notification:
    """Send the text of the message to an email address or phone number, and return the new message.

    It is a real message, even if the first one was a test. It has no reference, and no unsubscribe URL of the caller:
    those belong to the first recipient.
    Raises CannotCopy, and a NotificationError if the new message is not accepted.
    """
    check(message)
    person = ConsoleSender(service=message.service, key_type=KeyType.LIVE, name=by)
    recipient = sent_again.parse_recipient(message, to)
    new = sent_again.build(message, person, recipient)
    sent_again.check(new, person, recipient)
    sent_again.store(new, person)
    log.info("notification.copied", notification_id=str(message.pk), copy=str(new.pk))
    return new
