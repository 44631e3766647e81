"""Read one email from a file: the function that runs in the limited process."""

import hashlib
from collections.abc import Iterable
from typing import BinaryIO

from notifications.delivery.returned_emails.reading import replies, returned
from notifications.delivery.returned_emails.reading.headers import fields_of
from notifications.delivery.returned_emails.reading.limits import MOST_BYTES, TOO_LARGE, Refused
from notifications.delivery.returned_emails.reading.parts import Email
from notifications.delivery.returned_emails.reading.replies import Reply
from notifications.delivery.returned_emails.reading.returned import Returned

_HEAD_BYTES = 256 * 1024


def read(file: BinaryIO, recipients: Iterable[str], domain: str) -> Returned | Reply | None:
    """Return the report in an email, else what a person wrote, else None. Raises Refused.

    recipients: those of the envelope, if known; domain: of this installation's Message-IDs
    """
    file.seek(0)
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Refused(TOO_LARGE)
    digest = hashlib.sha256(data).hexdigest()
    email = Email(data)
    del data
    return returned.find(email, domain) or replies.find(email, recipients, domain, digest=digest)


def read_headers(file: BinaryIO, recipients: Iterable[str], domain: str, text: str) -> Reply:
    """Return an email that is not read: its own headers, with this text instead of its own."""
    file.seek(0)
    head = file.read(_HEAD_BYTES).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    digest = hashlib.sha256(head).hexdigest()
    return replies.of_headers(fields_of(head), recipients, domain, digest=digest, text=text)
