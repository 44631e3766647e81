"""Keywords in received texts: STOP suppresses the sender's number, START lifts that.

Source: docs/reference/inbox.md §3.
"""

import re
from enum import Enum

import structlog

from config import audit
from config.invalid import InvalidValue
from config.unseen import without_unseen
from notifications.models import ReceivedText, Suppression, SuppressionReason, SuppressionSource
from notifications.recipients.phone import PhoneNumber
from notifications.submission.suppressions import listing

_AROUND = re.compile(r"^[\W_]+|[\W_]+$")
_LONGEST = 50  # with punctuation; the pattern takes quadratic time
_LIFTED = "The recipient sent START by text."

log = structlog.get_logger()


class Keyword(Enum):
    STOP = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "QUIT", "END", "CANCEL"})
    START = frozenset({"START", "UNSTOP"})


def find(content: str) -> Keyword | None:
    """Return the keyword that a text consists of, or None.

    >>> find(" Stop! ").name, find("un\\u00adstop").name, find("Please stop")
    ('STOP', 'START', None)
    """
    content = without_unseen(content).strip()
    if len(content) > _LONGEST:
        return None
    word = _AROUND.sub("", content)
    # Some other letters have one of these words as their upper case, such as the long s.
    return next((keyword for keyword in Keyword if word.isascii() and word.upper() in keyword.value), None)


def apply(text: ReceivedText) -> None:
    """Suppress the sender of STOP, and lift what an earlier STOP suppressed, if the service wants it.

    A repeated text changes nothing.
    """
    keyword = find(text.content) if text.service.stop_texts_suppress else None
    if keyword is None:
        return
    try:
        number = listing.parse_recipient(text.user_number)
    except InvalidValue:  # the name of a sender, or a short code, to which nobody sends
        return
    if isinstance(number, PhoneNumber):
        (_stop if keyword is Keyword.STOP else _start)(text, number)


def _stop(text: ReceivedText, number: PhoneNumber) -> None:
    row = listing.new(
        text.service,
        number,
        reason=SuppressionReason.STOP,
        source=SuppressionSource.TEXT,
        created_by="",
    )
    stored, is_new = listing.add(row, audit.CLOCK)
    if is_new:
        log.info("suppression.added", service_id=str(text.service_id), suppression_id=str(stored.pk), reason="stop")


def _start(text: ReceivedText, number: PhoneNumber) -> None:
    active = Suppression.objects.active().filter(service=text.service, reason=SuppressionReason.STOP)
    for row in active.of_recipient(number.normalised):
        listing.lift(row, audit.CLOCK, by="", reason=_LIFTED)
