"""Read the messages of the sandbox inbox: the encrypted copies and the rows of their messages."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from config.audit.masking import mask
from config.encryption import DecryptionFailed
from notifications.attachments import links
from notifications.delivery import unsubscribe_links
from notifications.models import Attachment, Channel, KeyType, Notification, SandboxMessage
from notifications.models.sandbox_message import MOST_KEPT, SandboxContent
from notifications.recipients import normalise, phone
from notifications.sandbox.sight import Sight
from notifications.submission.templates import redaction

_UNSUBSCRIBE = "List-Unsubscribe"
_URL = re.compile(r"<(https?://[^>\s]+)>")
_CHUNK = 200  # rows decrypted at a time, so that a search for a new message decrypts few


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedFile:
    """A file that a message links to. url: the recipient's page, with the key if the caller may see it."""

    filename: str
    size: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """One message with the parts that the caller may see.

    is_whole: false if the recipient and links are masked and redacted parts are left out
    notification: the row of the message; None if it is deleted or the email belongs to no service
    """

    id: UUID
    notification_id: UUID
    channel: Channel
    to: str
    sender: str
    subject: str | None
    text: str
    html: str | None
    headers: dict[str, str]
    files: list[ArrivedFile]
    notification: Notification | None
    is_whole: bool
    received_at: datetime

    @property
    def shown_to(self) -> str:
        """Return the recipient in the form for people."""
        return phone.displayed(self.to)

    @property
    def reference(self) -> str | None:
        return self.notification.reference if self.notification else None

    @property
    def template_name(self) -> str:
        return self.notification.template.name if self.notification else ""

    @property
    def is_test(self) -> bool:
        return self.notification is not None and self.notification.key_type == KeyType.TEST

    @property
    def unsubscribe_url(self) -> str:
        """Return the URL of the unsubscribe button of mail programs, or an empty string."""
        match = _URL.search(self.headers.get(_UNSUBSCRIBE, ""))
        return match[1] if match else ""


def newest(sight: Sight, most: int) -> list[Arrived]:
    return list(_opened(sight, sight.rows()[:most]))


def get(sight: Sight, message_id: UUID) -> Arrived | None:
    return next(_opened(sight, sight.rows().filter(pk=message_id)), None)


def find(
    sight: Sight,
    *,
    to: str = "",
    reference: str | None = None,
    template_id: UUID | None = None,
    channel: str = "",
    since: datetime | None = None,
) -> list[Arrived]:
    """Return the matching messages, newest first. An empty filter matches every message.

    to: matches every spelling of a recipient, but no masked recipient
    """
    rows = sight.rows()
    if channel:
        rows = rows.filter(channel=channel)
    if since is not None:
        rows = rows.filter(received_at__gte=since)
    if reference is not None:
        named = Notification.objects.filter(reference=reference)
        rows = rows.filter(notification_id__in=named.values("id"))
    if template_id is not None:
        used = Notification.objects.filter(template_id=template_id)
        rows = rows.filter(notification_id__in=used.values("id"))
    found = _opened(sight, rows[:MOST_KEPT])
    if not to:
        return list(found)
    wanted = normalise(to)
    return [one for one in found if one.is_whole and normalise(one.to) == wanted]


def with_text(sight: Sight, term: str, *, most: int) -> list[Arrived]:
    """Return the newest messages with `term` in a visible recipient, subject, text or reference."""
    word, number = term.casefold(), normalise(term)
    found = []
    for one in _opened(sight, sight.rows()[:MOST_KEPT]):
        texts = (one.subject or "", one.text, one.reference or "", one.to if one.is_whole else "")
        is_to = one.is_whole and normalise(one.to) == number
        if is_to or any(word in text.casefold() for text in texts):
            found.append(one)
        if len(found) == most:
            break
    return found


def remove(message_id: UUID) -> None:
    SandboxMessage.objects.filter(pk=message_id).delete()


def empty() -> None:
    SandboxMessage.objects.all().delete()


def _opened(sight: Sight, rows: Iterable[SandboxMessage]) -> Iterator[Arrived]:
    """Yield the decrypted messages in order. Leave out a message whose key is lost."""
    listed = list(rows)
    for start in range(0, len(listed), _CHUNK):
        chunk = listed[start : start + _CHUNK]
        sent = Notification.objects.select_related("template", "service").in_bulk(
            [row.notification_id for row in chunk]
        )
        opened = [(row, content) for row in chunk if (content := _content(row)) is not None]
        linked = {file_id for _, content in opened for file_id, _ in links.find(_words(content))}
        files = Attachment.objects.select_related("template").in_bulk(linked) if linked else {}
        for row, content in opened:
            yield _arrived(sight, row, content, sent.get(row.notification_id), files)


def _content(row: SandboxMessage) -> SandboxContent | None:
    try:
        return row.content
    except DecryptionFailed:
        return None


def _words(content: SandboxContent) -> str:
    return f"{content.subject or ''}\n{content.text}"


def _arrived(
    sight: Sight,
    row: SandboxMessage,
    content: SandboxContent,
    notification: Notification | None,
    files: dict[UUID, Attachment],
) -> Arrived:
    is_whole = sight.sees_recipients(notification)
    linked = {
        file_id: url
        for file_id, url in links.find(_words(content))
        if file_id in files and files[file_id].notification_id == row.notification_id
    }
    shown = content if is_whole else _masked(content, notification)
    return Arrived(
        id=row.id,
        notification_id=row.notification_id,
        channel=Channel(row.channel),
        to=shown.to,
        sender=shown.sender,
        subject=shown.subject,
        text=shown.text,
        html=shown.html,
        headers=dict(shown.headers),
        files=[_file(files[file_id], url, is_whole=is_whole) for file_id, url in linked.items()],
        notification=notification,
        is_whole=is_whole,
        received_at=row.received_at,
    )


def _masked(content: SandboxContent, notification: Notification | None) -> SandboxContent:
    """Return the content for users without the permission *See recipients*, as in the message log."""
    masked = replace(
        content,
        to=mask(content.to),
        subject=None if content.subject is None else _without_keys(content.subject),
        text=_without_keys(content.text),
        html=None if content.html is None else _without_keys(content.html),
        headers={name: _without_keys(value) for name, value in content.headers.items()},
    )
    if notification is None or not redaction.is_on(notification):
        return masked
    text = redaction.text(notification)
    return replace(masked, subject=text.subject, text=text.body, html=None)


def _without_keys(text: str) -> str:
    return unsubscribe_links.cut_tokens(links.cut_keys(text))


def _file(file: Attachment, url: str, *, is_whole: bool) -> ArrivedFile:
    """Return the file with its own name or, for masked messages, the name on the console's Files page."""
    name = redaction.own_name(file) if is_whole else redaction.file_name(file)
    return ArrivedFile(filename=name, size=file.size_bytes, url=url if is_whole else links.cut_keys(url))
