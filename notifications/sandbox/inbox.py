"""Read what arrived: the sealed copies, with what the message's own row still knows of them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from config.sealing import SealBroken
from notifications.models import Channel, KeyType, Notification, SandboxMessage
from notifications.models.sandbox_message import MOST_KEPT, SandboxContent
from notifications.recipients import normalise

_UNSUBSCRIBE = "List-Unsubscribe"
_ADDRESS = re.compile(r"<(https?://[^>\s]+)>")
_CHUNK = 200  # opened at a time, so that finding one of the newest opens few


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """One message as its recipient would have it. `files` stay empty until a message carries one."""

    id: UUID
    notification_id: UUID
    channel: Channel
    to: str
    sender: str
    subject: str | None
    text: str
    html: str | None
    headers: dict[str, str]
    files: list[dict[str, object]]
    reference: str | None
    template: dict[str, object] | None
    template_name: str
    is_test: bool
    received_at: datetime

    @property
    def unsubscribe_address(self) -> str:
        """Return the address behind the button that mail programs draw, or nothing."""
        match = _ADDRESS.search(self.headers.get(_UNSUBSCRIBE, ""))
        return match[1] if match else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a test suite looks for; what is left out matches all."""

    to: str = ""
    reference: str | None = None
    template_id: UUID | None = None
    channel: str = ""
    since: datetime | None = None


def newest(most: int) -> list[Arrived]:
    return list(_opened(SandboxMessage.objects.all()[:most]))


def get(message_id: UUID) -> Arrived | None:
    return next(_opened(SandboxMessage.objects.filter(pk=message_id)), None)


def find(search: Search) -> list[Arrived]:
    """Return the matching messages, newest first; `to` is compared as recipients are, however it is written."""
    rows = SandboxMessage.objects.all()
    if search.channel:
        rows = rows.filter(channel=search.channel)
    if search.since is not None:
        rows = rows.filter(received_at__gte=search.since)
    if search.reference is not None:
        named = Notification.objects.filter(reference=search.reference)
        rows = rows.filter(notification_id__in=named.values("id"))
    if search.template_id is not None:
        used = Notification.objects.filter(template_id=search.template_id)
        rows = rows.filter(notification_id__in=used.values("id"))
    wanted = normalise(search.to) if search.to else ""
    return [one for one in _opened(rows[:MOST_KEPT]) if not wanted or normalise(one.to) == wanted]


def with_words(term: str, *, most: int) -> list[Arrived]:
    """Return the newest messages that hold `term` in recipient, subject, text or reference."""
    word, number = term.casefold(), normalise(term)
    found = []
    for one in _opened(SandboxMessage.objects.all()[:MOST_KEPT]):
        texts = (one.to, one.subject or "", one.text, one.reference or "")
        if any(word in text.casefold() for text in texts) or normalise(one.to) == number:
            found.append(one)
        if len(found) == most:
            break
    return found


def remove(message_id: UUID) -> None:
    SandboxMessage.objects.filter(pk=message_id).delete()


def empty() -> None:
    SandboxMessage.objects.all().delete()


def _opened(rows: Iterable[SandboxMessage]) -> Iterator[Arrived]:
    """Open the copies in the order given; one whose key is lost cannot be shown, and is left out."""
    listed = list(rows)
    for start in range(0, len(listed), _CHUNK):
        chunk = listed[start : start + _CHUNK]
        sent = Notification.objects.select_related("template").in_bulk([row.notification_id for row in chunk])
        for row in chunk:
            try:
                content = row.content
            except SealBroken:
                continue
            yield _arrived(row, content, sent.get(row.notification_id))


def _arrived(row: SandboxMessage, content: SandboxContent, notification: Notification | None) -> Arrived:
    template: dict[str, object] | None = None
    if notification is not None:
        template = {"id": str(notification.template_id), "version": notification.template_version}
    return Arrived(
        id=row.id,
        notification_id=row.notification_id,
        channel=Channel(row.channel),
        to=content.to,
        sender=content.sender,
        subject=content.subject,
        text=content.text,
        html=content.html,
        headers=dict(content.headers),
        files=[],
        reference=notification.reference if notification else None,
        template=template,
        template_name=notification.template.name if notification else "",
        is_test=notification is not None and notification.key_type == KeyType.TEST,
        received_at=row.received_at,
    )
