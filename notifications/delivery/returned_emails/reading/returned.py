"""Find the report that a mail server or mailbox provider returns: a bounce or a complaint.

Source: RFC 3464 and RFC 6533 on delivery status notifications; RFC 5965 on feedback reports;
docs/reference/suppressions.md §5.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from config import mailboxes
from notifications.delivery.messages import ReceiptOutcome
from notifications.delivery.returned_emails.reading import plain_bounces
from notifications.delivery.returned_emails.reading.headers import Headers, fields_of
from notifications.delivery.returned_emails.reading.ids import ids_in
from notifications.delivery.returned_emails.reading.limits import MOST_BLOCKS, MOST_FIELDS_BYTES
from notifications.delivery.returned_emails.reading.parts import EMAILS, Email, MimePart

_NOTIFICATIONS = frozenset({"message/delivery-status", "message/global-delivery-status"})
_HEADERS = frozenset({"text/rfc822-headers", "message/global-headers"})
_COMPLAINTS = frozenset({"abuse", "fraud"})  # not: not-spam, virus, other, auth-failure
_COMPLAINT_OF_MICROSOFT = "X-HmXmrOriginalRecipient"
_ENHANCED = re.compile(r"(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)")  # not a part of an IP address
_UNSPECIFIC = re.compile(r"[245]\.0\.0")
_COMMENT = re.compile(r"\([^()]*+\)")
_BETWEEN_BLOCKS = re.compile(rb"\n(?:[ \t]*+\n)++")
_CODE_POINT = re.compile(r"\\x\{([0-9A-Fa-f]{2,6})\}")

Finding = tuple[ReceiptOutcome, str, list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A bounce or a complaint about one message of this installation.

    code: the enhanced status code of a bounce, or the type of a complaint
    recipients: the keys of the email addresses that the report names
    """

    notification_id: UUID
    outcome: ReceiptOutcome
    code: str
    recipients: frozenset[str]


def find(read: Email, domain: str) -> Returned | None:
    """Return the report in an email, or None if it has none: an answer of a person, or a notice of a delay.

    domain: of the Message-ID of this installation's emails
    """
    notification_id = next((one for text in _message_ids(read) for one in ids_in(text, domain, is_all=True)), None)
    if notification_id is not None:
        finding = next((one for part in read.top.walk() if (one := _finding(read, part))), None) or _of_microsoft(read)
        return _returned(notification_id, finding)
    old = plain_bounces.find(read)
    notification_id = next(ids_in(old.message_id, domain, is_all=True), None) if old else None
    if old is None or notification_id is None:
        return None
    code = _specific(old.reasons)
    return _returned(notification_id, (_outcome(code), code, [mailboxes.key_of(one) for one in old.recipients]))


def _returned(notification_id: UUID, finding: Finding | None) -> Returned | None:
    if finding is None:
        return None
    outcome, code, recipients = finding
    return Returned(notification_id=notification_id, outcome=outcome, code=code, recipients=frozenset(recipients))


def _message_ids(read: Email) -> Iterator[str]:
    """Yield the Message-ID of each returned email. The report's own Message-ID is not one of them."""
    for part in read.top.walk():
        kind = part.headers.kind
        if kind in _HEADERS or (kind in EMAILS and not part.parts):  # the email is in base64, for example
            yield fields_of(read.body(part, most=MOST_FIELDS_BYTES)).first("Message-ID")
        elif kind in EMAILS:
            yield part.parts[0].headers.first("Message-ID")


def _finding(read: Email, part: MimePart) -> Finding | None:
    kind = part.headers.kind
    if kind in _NOTIFICATIONS:
        return _bounce(_blocks(read, part))
    return _complaint(_blocks(read, part)) if kind == "message/feedback-report" else None


def _bounce(blocks: list[Headers]) -> Finding | None:
    """Return the outcome of the first recipient whose delivery failed. Our emails have one recipient."""
    for fields in blocks:
        if _plain(fields.first("Action")) != "failed":
            continue
        code = _code(fields)
        return _outcome(code), code, _email_addresses(fields, "Final-Recipient", "Original-Recipient")
    return None


def _complaint(blocks: list[Headers]) -> Finding | None:
    for fields in blocks:
        kind = _plain(fields.first("Feedback-Type"))
        if kind in _COMPLAINTS:
            return ReceiptOutcome.COMPLAINT, kind, _email_addresses(fields, "Original-Rcpt-To", "Removal-Recipient")
    return None


def _of_microsoft(read: Email) -> Finding | None:
    """Return the complaint in the form of Microsoft: nothing but the email, with a header that names the recipient."""
    children = read.top.parts
    if read.top.headers.kind != "multipart/mixed" or {part.headers.kind for part in children} != {"message/rfc822"}:
        return None
    blocks = [read.top.headers, *(email.headers for part in children for email in part.parts)]
    recipients = [one for fields in blocks for one in _email_addresses(fields, _COMPLAINT_OF_MICROSOFT)]
    return (ReceiptOutcome.COMPLAINT, "abuse", recipients) if recipients else None


def _blocks(read: Email, part: MimePart) -> list[Headers]:
    """Return the groups of fields of a report."""
    text = read.body(part, most=MOST_FIELDS_BYTES).replace(b"\r\n", b"\n").lstrip()
    return [fields_of(block) for block in _BETWEEN_BLOCKS.split(text, MOST_BLOCKS)[:MOST_BLOCKS]]


def _plain(value: str) -> str:
    """Return the word of a field in lower case, without comments.

    >>> _plain(" Failed (permanent)")
    'failed'
    """
    return _COMMENT.sub("", value).strip().lower()


def _outcome(code: str) -> ReceiptOutcome:
    return ReceiptOutcome.TEMPORARY_FAILURE if code.startswith("4") else ReceiptOutcome.PERMANENT_FAILURE


def _code(fields: Headers) -> str:
    """Return the status code, or the more specific one that the mail server has in its reply."""
    return _specific([fields.first("Status"), fields.first("Diagnostic-Code")])


def _specific(texts: list[str]) -> str:
    """Return the first status code, or the next one if it is unspecific. "" if the texts have none."""
    codes = [found[1] for text in texts if (found := _ENHANCED.search(text))]
    return next((code for code in codes if not _UNSPECIFIC.fullmatch(code)), codes[0] if codes else "")


def _email_addresses(fields: Headers, *names: str) -> list[str]:
    values = [_COMMENT.sub("", value) for name in names for value in fields.all(name)]
    written = (value.rpartition(";")[2].strip().strip("<>") for value in values)
    return [mailboxes.key_of(_CODE_POINT.sub(_character, one)) for one in written]


def _character(found: re.Match[str]) -> str:
    """Return the character of an email address in ASCII, such as `\\x{E4}`. Source: RFC 6533 §3."""
    number = int(found[1], 16)
    return chr(number) if number <= 0x10FFFF else found[0]
