"""Parse emails that people send: the sender, the recipients, the text and what it answers.

Source: RFC 3834 on automatic responses; docs/reference/inbox.md §4.
"""

import contextlib
import email
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses
from uuid import UUID

from django.conf import settings

from config import mailboxes
from notifications.delivery.returned_emails import html_text
from notifications.models import EmailContent

MOST_CHARACTERS = 100_000  # of a text; longer ones are shortened
MOST_HTML_CHARACTERS = 1_000_000
MOST_FILES, MOST_NAME_CHARACTERS, MOST_SUBJECT_CHARACTERS, MOST_SENDER_CHARACTERS = 50, 200, 1000, 400
_MOST_RECIPIENTS = 50
_ENVELOPE = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To")
_VISIBLE = ("To", "Cc")
_ID = r"<([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@%s>"
_PROGRAMS = frozenset({"bulk", "junk", "list", "auto_reply"})  # of the header Precedence


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A received email.

    recipients: the email addresses it was sent to, in lower case
    answered: the ids of our messages that it names, the nearest first
    """

    sender: str
    recipients: tuple[str, ...]
    answered: tuple[UUID, ...]
    content: EmailContent
    content_hash: str
    is_automatic: bool


def parse(data: bytes, recipients: Sequence[str] = ()) -> Reply | None:
    """Return the email, or None if it is a report of a mail server.

    recipients: those of the envelope, if the mail server names them; else the headers count
    """
    message = email.message_from_bytes(data)
    if message.get_content_type() == "multipart/report":
        return None
    message_id = _header(message, "Message-ID").strip()
    return Reply(
        sender=_sender(message),
        recipients=tuple(dict.fromkeys(_recipients(message, recipients)))[:_MOST_RECIPIENTS],
        answered=tuple(dict.fromkeys(_answered(message))),
        content=_content(message),
        content_hash=hashlib.sha256(message_id.encode() or data).hexdigest(),
        is_automatic=_is_automatic(message),
    )


def _sender(message: Message) -> str:
    """Return the email address in From, or the whole header if it has none."""
    written = _header(message, "From")
    found = [address for _, address in getaddresses([written]) if "@" in address]
    return (found[0] if found else written)[:MOST_SENDER_CHARACTERS]


def _recipients(message: Message, recipients: Sequence[str]) -> Iterator[str]:
    headers = [_header(message, name, number) for name in (*_ENVELOPE, *_VISIBLE) for number in range(5)]
    named = [address for _, address in getaddresses([header for header in headers if header])]
    for address in recipients or named:
        if "@" in address:
            yield mailboxes.key_of(address.strip().strip("<>"))


def _answered(message: Message) -> Iterator[UUID]:
    own = re.compile(_ID % re.escape(settings.EMAIL_DOMAIN), re.IGNORECASE)
    for found in own.finditer(_header(message, "In-Reply-To")):
        yield UUID(found[1])
    for found in reversed(list(own.finditer(_header(message, "References")))):
        yield UUID(found[1])


def _is_automatic(message: Message) -> bool:
    submitted = _header(message, "Auto-Submitted").partition(";")[0].strip().lower()
    is_marked = bool(_header(message, "X-Autoreply") or _header(message, "X-Autorespond"))
    return submitted not in {"", "no"} or is_marked or _header(message, "Precedence").strip().lower() in _PROGRAMS


def _content(message: Message) -> EmailContent:
    plain: list[str] = []
    html: list[str] = []
    files: list[str] = []
    for part in _leaves(message):
        kind = part.get_content_type()
        is_text = kind in {"text/plain", "text/html"} and part.get_content_disposition() != "attachment"
        if not is_text or part.get_filename():
            files.append(_file_name(part))
        elif kind == "text/plain":
            plain.append(_text(part))
        else:
            html.append(html_text.to_text(_text(part)[:MOST_HTML_CHARACTERS]))
    text = "\n\n".join(plain if any(one.strip() for one in plain) else html).strip()
    return EmailContent(
        subject=" ".join(_header(message, "Subject").split())[:MOST_SUBJECT_CHARACTERS],
        text=text[:MOST_CHARACTERS],
        attachments=files[:MOST_FILES],
        is_shortened=len(text) > MOST_CHARACTERS,
    )


def _leaves(message: Message) -> Iterator[Message]:
    """Yield the parts in order. An email within the email is one part, like a file."""
    waiting: list[Message] = [message]
    while waiting:
        part = waiting.pop()
        payload = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(payload, list):
            waiting += [one for one in reversed(payload) if isinstance(one, Message)]
        else:
            yield part


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    try:
        text = data.decode(part.get_content_charset() or "utf-8", "replace")
    except (LookupError, ValueError):
        text = data.decode("utf-8", "replace")
    return _clean(text).replace("\r\n", "\n").replace("\r", "\n")


def _file_name(part: Message) -> str:
    name = _decoded(str(part.get_filename() or ""))
    return " ".join(name.split())[:MOST_NAME_CHARACTERS] or part.get_content_type()


def _header(message: Message, name: str, number: int = 0) -> str:
    """Return a decoded header, "" if it is missing. number: of the headers with this name"""
    found = message.get_all(name, [])
    return _decoded(str(found[number])) if len(found) > number else ""


def _decoded(text: str) -> str:
    with contextlib.suppress(HeaderParseError, LookupError, ValueError):  # an unknown character set, for example
        text = str(make_header(decode_header(text)))
    return _clean(text)


def _clean(text: str) -> str:
    """Return the text as UTF-8 can store it, without NUL, which PostgreSQL refuses."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
