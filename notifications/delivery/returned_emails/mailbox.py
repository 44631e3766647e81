"""Take in emails: reports of mail servers, and replies of people.

Source: docs/reference/suppressions.md §5; docs/reference/inbox.md §4, §6.
"""

import tempfile
from collections.abc import Sequence
from enum import StrEnum
from typing import BinaryIO

import structlog
from django.conf import settings

from config import limited
from config.limited import ProcessLimits, TookTooLong, TooLarge
from notifications.delivery import reply_to_checks, status
from notifications.delivery.messages import Receipt, ReceiptOutcome
from notifications.delivery.posts import LONGEST_CODE
from notifications.delivery.returned_emails import storing
from notifications.delivery.returned_emails.reading import one_email
from notifications.delivery.returned_emails.reading.limits import MIB, Refused
from notifications.delivery.returned_emails.reading.replies import Reply
from notifications.delivery.returned_emails.reading.returned import Returned
from notifications.models import Notification, SuppressionSource

LIMITS = ProcessLimits(memory_bytes=200 * MIB, cpu_seconds=2, seconds=30)
NEEDS_TOO_MUCH_MEMORY = "The email needs more than 200 MiB of memory."
TAKES_TOO_LONG = "The email needs more than 2 seconds of processor time."
_NOT_SHOWN = "Signalbox cannot show this email. {} Ask the sender to write again, without attachments and formatting."

log = structlog.get_logger()


class Taken(StrEnum):
    """What became of an email. Its sender gets no answer in any case.

    KEPT: it was refused, and the service has an entry for it
    REFUSED: it was refused, and no service has it as a reply
    """

    APPLIED = "applied"
    STORED = "stored"
    IGNORED = "ignored"
    UNKNOWN_MESSAGE = "unknown message"
    KEPT = "kept"
    REFUSED = "refused"


def take_in(data: bytes, recipients: Sequence[str] = ()) -> Taken:
    """Apply the bounce or complaint in an email to its message as a delivery receipt, or store the email as a reply.

    A repeated email changes nothing. recipients: those of the envelope, if known
    Raises OSError if no process can be started.
    """
    with tempfile.TemporaryFile() as file:
        file.write(data)
        try:
            found = _read(file, recipients)
        except Refused as error:
            taken = _keep(file, recipients, str(error))
            log.warning("mailbox.refused", reason=str(error), taken=taken.value)
            return taken
    if isinstance(found, Returned):
        taken = _apply(found)
    else:
        taken = Taken.STORED if found is not None and storing.store(found) else Taken.IGNORED
    log.info("mailbox.taken_in", taken=taken.value)
    return taken


def _read(file: BinaryIO, recipients: Sequence[str]) -> Returned | Reply | None:
    try:
        return limited.run(one_email.read, tuple(recipients), settings.EMAIL_DOMAIN, limits=LIMITS, files=[file])
    except TooLarge as error:
        raise Refused(NEEDS_TOO_MUCH_MEMORY) from error
    except TookTooLong as error:
        raise Refused(TAKES_TOO_LONG) from error


def _keep(file: BinaryIO, recipients: Sequence[str], reason: str) -> Taken:
    """Store an entry that names the sender, the subject and the reason, if a service has the recipient."""
    text = _NOT_SHOWN.format(reason)
    try:
        reply = limited.run(
            one_email.read_headers, tuple(recipients), settings.EMAIL_DOMAIN, text, limits=LIMITS, files=[file]
        )
    except limited.LimitExceeded:
        return Taken.REFUSED
    return Taken.KEPT if storing.store(reply) else Taken.REFUSED


def _apply(returned: Returned) -> Taken:
    found = Notification.objects.filter(pk=returned.notification_id)
    message = found.only("provider", "normalised_recipient").first()
    if message is None:
        is_bounce = returned.outcome != ReceiptOutcome.COMPLAINT
        is_link = is_bounce and reply_to_checks.note_bounce(returned.notification_id)
        return Taken.APPLIED if is_link else Taken.UNKNOWN_MESSAGE
    # If the recipient forwards their emails, another email address may be the one that does not exist.
    is_about_recipient = not returned.recipients or message.normalised_recipient in returned.recipients
    code = returned.code if is_about_recipient else f"forwarded: {returned.code}"
    receipt = Receipt(outcome=returned.outcome, notification_id=message.id, code=code[:LONGEST_CODE])
    is_known = status.apply(message.provider, receipt, source=SuppressionSource.MAILBOX)
    return Taken.APPLIED if is_known else Taken.UNKNOWN_MESSAGE
