"""Return messages and file names as staff may read them: without the values if their template redacts personalisation.

Every page, list and download that shows a message or a file name to staff must use this module.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from config.encryption import DecryptionFailed
from notifications.models import Attachment, Channel, Notification, ReceivedContent, ReceivedEmail, TemplateVersion
from notifications.rendering import placeholders
from notifications.rendering.placeholders import Piece
from notifications.submission.templates import TemplateText, text_of

HIDDEN = "[hidden]"
_QUOTE = re.compile(
    r"^(?:>|On .{1,200} wrote:|-{2,} ?Original Message ?-{2,}|_{10,}\s*$|From: ).*", re.MULTILINE | re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownText:
    """The subject and body of a message as staff may read them. A text message has no subject."""

    subject: str | None
    body: str


def is_on(message: Notification) -> bool:
    return message.template.redact_personalisation


def text(message: Notification) -> ShownText:
    """Return the text of a message: as sent, or with `[hidden]` instead of every value."""
    return texts([message])[0]


def texts(messages: Sequence[Notification]) -> list[ShownText]:
    """Return the text of each message. One query reads all templates."""
    hidden = [message for message in messages if is_on(message)]
    versions = _versions(hidden) if hidden else {}

    def shown(message: Notification) -> ShownText:
        if not is_on(message):
            return ShownText(subject=message.subject, body=message.body)
        text = versions[message.template_id, message.template_version].in_language(message.language)
        is_email = message.channel == Channel.EMAIL
        subject = placeholders.unfilled(text.subject, {}, redact=True) if is_email else None
        return ShownText(subject=subject, body=placeholders.unfilled(text.content, {}, redact=True))

    return [shown(message) for message in messages]


def pieces(message: Notification) -> list[list[Piece]]:
    """Return the subject and the body of the template in pieces, for a page that highlights redacted values."""
    text = _versions([message])[message.template_id, message.template_version].in_language(message.language)
    parts = [text.subject, text.content] if message.channel == Channel.EMAIL else [text.content]
    return [list(placeholders.pieces(part, {}, redact=True)) for part in parts]


def received(row: ReceivedEmail) -> ReceivedContent:
    """Return a received email. If it answers a message with redacted values, what it quotes of it is hidden.

    Raises config.encryption.DecryptionFailed.
    """
    content = row.content
    if row.notification_id is None:
        return content
    if not hasattr(row, "answered"):
        find_answered([row])
    answered: ShownText | None = row.answered  # type: ignore[attr-defined]  # set by find_answered
    if answered is None:
        return content
    subject = content.subject if answered.subject is None else answered.subject
    return replace(content, subject=f"Re: {subject}", text=_without_quotes(content.text))


def find_answered(rows: Iterable[Any]) -> None:
    """Set `answered` of received emails to the redacted text of the message that each answers, or to None.

    Two queries read the messages and the templates of all emails.
    """
    redacted = Notification.objects.select_related("template").filter(template__redact_personalisation=True)
    messages = list(redacted.filter(pk__in=[row.notification_id for row in rows if row.notification_id]))
    answered = dict(zip((message.pk for message in messages), texts(messages), strict=True))
    for row in rows:
        row.answered = answered.get(row.notification_id)


def _without_quotes(text: str) -> str:
    """Return the text up to the first line that email programs write above or in front of a quoted email.

    >>> _without_quotes("Thanks!\\n\\nOn Monday the Harbour wrote:\\n> Code 4711")
    'Thanks!\\n\\n[hidden]'
    """
    found = _QUOTE.search(text)
    return f"{text[: found.start()]}{HIDDEN}" if found else text


def hides_name(file: Attachment) -> bool:
    """Return whether the name of a file is redacted. It also is if the template of the file is unknown."""
    return file.template is None or file.template.redact_personalisation


def file_name(file: Attachment) -> str:
    """Return the name of a file, or its type and day if the name is redacted."""
    return file.masked_title if hides_name(file) else own_name(file)


def own_name(file: Attachment) -> str:
    """Return the name that the caller gave a file, for people who may see everything that the recipient sees."""
    try:
        return file.name or file.masked_title
    except DecryptionFailed:
        return f"{file.masked_title} (its name was encrypted with a key that FIELD_KEYS does not contain)"


def _versions(messages: Sequence[Notification]) -> dict[tuple[object, int], TemplateText]:
    templates = {message.template_id for message in messages}
    numbers = {message.template_version for message in messages}
    rows = TemplateVersion.objects.filter(template__in=templates, number__in=numbers).select_related("template")
    return {(row.template_id, row.number): text_of(row) for row in rows}
