"""Parse emails that mail servers and mailbox providers return: bounces and complaints.

Source: RFC 3464 on delivery status notifications; RFC 5965 on feedback reports; docs/reference/suppressions.md §5.
"""

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from uuid import UUID

from django.conf import settings

from config import mailboxes
from notifications.delivery.messages import Outcome
from notifications.delivery.posts import LONGEST_CODE

_ID = r"<([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@%s>"
_COMPLAINTS = frozenset({"abuse", "fraud"})  # not: not-spam, virus, other, auth-failure
_ENHANCED = re.compile(r"\b([245]\.\d{1,3}\.\d{1,3})\b")
_UNSPECIFIC = re.compile(r"[245]\.0\.0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A bounce or a complaint about one message of this installation.

    code: the enhanced status code of a bounce, or the type of a complaint
    recipients: the keys of the email addresses that the report names
    """

    notification_id: UUID
    outcome: Outcome
    code: str
    recipients: frozenset[str]


def parse(data: bytes) -> Returned | None:
    """Return the report in an email, or None if it has none: an answer of a person, or a notice of a delay."""
    message = email.message_from_bytes(data)
    notification_id = _notification_id(message)
    if notification_id is None:
        return None
    for part in message.walk():
        kind = part.get_content_type()
        found = _bounce(part) if kind == "message/delivery-status" else None
        if kind == "message/feedback-report":
            found = _complaint(part)
        if found:
            outcome, code, recipients = found
            return Returned(
                notification_id=notification_id,
                outcome=outcome,
                code=code[:LONGEST_CODE],
                recipients=frozenset(recipients),
            )
    return None


def _notification_id(message: Message) -> UUID | None:
    """Return the id in the Message-ID of the returned email, whose headers are the last part of a report."""
    own = re.compile(_ID % re.escape(settings.EMAIL_DOMAIN), re.IGNORECASE)
    for part in message.walk():
        for header in _returned_headers(part):
            if found := own.fullmatch(header.strip()):
                return UUID(found[1])
    return None


def _returned_headers(part: Message) -> Iterator[str]:
    """Yield the Message-ID of the email in a part. The report's own Message-ID is not one of them."""
    payload = part.get_payload()
    if part.get_content_type() == "message/rfc822" and isinstance(payload, list):
        for returned in payload:
            yield str(returned.get("Message-ID", "") if isinstance(returned, Message) else "")
    elif part.get_content_type() == "text/rfc822-headers":
        text = part.get_payload(decode=True)
        headers = email.message_from_bytes(text if isinstance(text, bytes) else b"")
        yield str(headers.get("Message-ID", ""))


def _bounce(part: Message) -> tuple[Outcome, str, list[str]] | None:
    """Return the outcome of the first recipient whose delivery failed. Our emails have one recipient."""
    for fields in _blocks(part):
        if str(fields.get("Action", "")).strip().lower() != "failed":
            continue
        code = _code(fields)
        outcome = Outcome.TEMPORARY_FAILURE if code.startswith("4") else Outcome.PERMANENT_FAILURE
        return outcome, code, _email_addresses(fields, "Final-Recipient", "Original-Recipient")
    return None


def _complaint(part: Message) -> tuple[Outcome, str, list[str]] | None:
    for fields in _blocks(part):
        kind = str(fields.get("Feedback-Type", "")).strip().lower()
        if kind in _COMPLAINTS:
            return Outcome.COMPLAINT, kind, _email_addresses(fields, "Original-Rcpt-To", "Removal-Recipient")
    return None


def _blocks(part: Message) -> list[Message]:
    """Return the groups of fields of a report, each as the headers of a message."""
    payload = part.get_payload()
    return [block for block in payload if isinstance(block, Message)] if isinstance(payload, list) else []


def _code(fields: Message) -> str:
    """Return the status code, or the more specific one that the mail server has in its reply."""
    status = _ENHANCED.search(str(fields.get("Status", "")))
    code = status[1] if status else ""
    if not code or _UNSPECIFIC.fullmatch(code):
        reply = _ENHANCED.search(str(fields.get("Diagnostic-Code", "")))
        code = reply[1] if reply else code
    return code


def _email_addresses(fields: Message, *names: str) -> list[str]:
    values = [str(value) for name in names for value in fields.get_all(name, [])]
    return [mailboxes.key_of(value.rpartition(";")[2].strip().strip("<>")) for value in values]
