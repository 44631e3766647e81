"""Read emails that people send: the sender, the recipients, the text and what it answers.

Source: RFC 3834 on automatic responses; docs/reference/inbox.md §4.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.utils import getaddresses
from uuid import UUID

from config import mailboxes
from notifications.delivery.returned_emails.reading import html_text
from notifications.delivery.returned_emails.reading.headers import Headers
from notifications.delivery.returned_emails.reading.ids import ids_in
from notifications.delivery.returned_emails.reading.parts import Email, MimePart
from notifications.delivery.returned_emails.reading.words import clean, decode_words

MOST_CHARACTERS = 100_000  # of a text; longer ones are shortened
MOST_HTML_CHARACTERS = 1_000_000  # of all HTML parts together
MOST_FILES, MOST_NAME_CHARACTERS, MOST_SUBJECT_CHARACTERS, MOST_SENDER_CHARACTERS = 50, 200, 1000, 400
_MOST_RECIPIENTS = 50
_MOST_ANSWERED = 50
_MOST_OF_ONE_NAME = 5
_ENVELOPE = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To")
_VISIBLE = ("To", "Cc")
_PROGRAMS = frozenset({"bulk", "junk", "list", "auto_reply"})  # of the header Precedence


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A received email.

    recipients: the email addresses it was sent to, in lower case
    answered: the ids of our messages that it names, the nearest first
    text: plain text, also of an email in HTML; is_shortened: whether the text was longer
    attachments: the names of the files
    """

    sender: str
    recipients: tuple[str, ...]
    answered: tuple[UUID, ...]
    subject: str
    text: str
    attachments: tuple[str, ...]
    is_shortened: bool
    content_hash: str
    is_automatic: bool


def find(read: Email, recipients: Iterable[str], domain: str, *, digest: str) -> Reply | None:
    """Return the email, or None if it is a report of a mail server.

    recipients: those of the envelope, if the mail server names them; else the headers count
    domain: of the Message-ID of this installation's emails
    digest: of the whole email, for one without Message-ID
    """
    if read.top.headers.kind == "multipart/report":
        return None
    text, files, is_shortened = _content(read)
    return of_headers(
        read.top.headers, recipients, domain, digest=digest, text=text, files=files, is_shortened=is_shortened
    )


def of_headers(
    headers: Headers,
    recipients: Iterable[str],
    domain: str,
    *,
    digest: str,
    text: str,
    files: Iterable[str] = (),
    is_shortened: bool = False,
) -> Reply:
    """Return an email with this text."""
    message_id = _decoded(headers, "Message-ID").strip()
    return Reply(
        sender=_sender(headers),
        recipients=tuple(dict.fromkeys(_recipients(headers, recipients)))[:_MOST_RECIPIENTS],
        answered=tuple(dict.fromkeys(_answered(headers, domain)))[:_MOST_ANSWERED],
        subject=" ".join(_decoded(headers, "Subject").split())[:MOST_SUBJECT_CHARACTERS],
        text=text,
        attachments=tuple(files),
        is_shortened=is_shortened,
        content_hash=hashlib.sha256(message_id.encode()).hexdigest() if message_id else digest,
        is_automatic=_is_automatic(headers),
    )


def _sender(headers: Headers) -> str:
    """Return the email address in From, or the whole header if it has none."""
    written = _decoded(headers, "From")
    found = [address for address in _addresses([written]) if "@" in address]
    return (found[0] if found else written)[:MOST_SENDER_CHARACTERS]


def _recipients(headers: Headers, recipients: Iterable[str]) -> Iterator[str]:
    written = [
        decode_words(header) for name in (*_ENVELOPE, *_VISIBLE) for header in headers.all(name)[:_MOST_OF_ONE_NAME]
    ]
    for address in recipients or _addresses(written):
        if "@" in address:
            yield mailboxes.key_of(address.strip().strip("<>"))


def _addresses(written: list[str]) -> list[str]:
    try:
        return [address for _, address in getaddresses(written)]
    except RecursionError:  # a thousand open brackets
        return []


def _answered(headers: Headers, domain: str) -> Iterator[UUID]:
    yield from ids_in(headers.first("In-Reply-To"), domain)
    yield from reversed(list(ids_in(headers.first("References"), domain)))


def _is_automatic(headers: Headers) -> bool:
    submitted = headers.first("Auto-Submitted").partition(";")[0].strip().lower()
    is_marked = bool(headers.first("X-Autoreply") or headers.first("X-Autorespond"))
    return submitted not in {"", "no"} or is_marked or headers.first("Precedence").strip().lower() in _PROGRAMS


def _content(read: Email) -> tuple[str, list[str], bool]:
    """Return the text, the names of the files, and whether the text was longer."""
    plain: list[MimePart] = []
    html: list[MimePart] = []
    files: list[str] = []
    for part in read.top.leaves():
        kind = part.headers.kind
        disposition = part.headers.first("Content-Disposition").partition(";")[0].strip().lower()
        is_text = kind in {"text/plain", "text/html"} and disposition != "attachment"
        if is_text and not part.headers.filename:
            (plain if kind == "text/plain" else html).append(part)
        elif len(files) < MOST_FILES:
            files.append(_file_name(part))
    text = _joined(read.text(part) for part in plain)
    if not text.strip():
        text = _joined(html_text.to_text(one) for one in _first(MOST_HTML_CHARACTERS, map(read.text, html)))
    text = text.strip()
    return text[:MOST_CHARACTERS], files, len(text) > MOST_CHARACTERS


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(_first(2 * MOST_CHARACTERS, texts))


def _first(most: int, texts: Iterable[str]) -> Iterator[str]:
    """Yield texts up to a number of characters in all."""
    for text in texts:
        if most > 0:
            yield text[:most]
        most -= len(text)


def _file_name(part: MimePart) -> str:
    name = clean(decode_words(part.headers.filename))
    return " ".join(name.split())[:MOST_NAME_CHARACTERS] or part.headers.kind


def _decoded(headers: Headers, name: str) -> str:
    """Return a decoded header, "" if it is missing."""
    return decode_words(headers.first(name))
