"""What staff see of a message whose template hides personal details: the template's own text, without the values.

Every page, list and download that shows staff a message, or the name of its file, asks here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from config.encryption import DecryptionFailed
from notifications.models import Attachment, Notification, TemplateVersion
from notifications.rendering import placeholders
from notifications.rendering.placeholders import Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Subject and body of a message as staff may read them; a text message has no subject."""

    subject: str | None
    body: str


def is_on(message: Notification) -> bool:
    return message.template.redact_personalisation


def text(message: Notification) -> Text:
    """Return a message's text: as sent, or with `[hidden]` in the place of every value."""
    return texts([message])[0]


def texts(messages: Sequence[Notification]) -> list[Text]:
    """Return the text of each message; the templates are read at once."""
    hidden = [message for message in messages if is_on(message)]
    versions = _versions(hidden) if hidden else {}

    def shown(message: Notification) -> Text:
        if not is_on(message):
            return Text(subject=message.subject, body=message.body)
        version = versions[message.template_id, message.template_version]
        subject = None if version.subject is None else placeholders.unfilled(version.subject, {}, redact=True)
        return Text(subject=subject, body=placeholders.unfilled(version.content, {}, redact=True))

    return [shown(message) for message in messages]


def pieces(message: Notification) -> list[list[Piece]]:
    """Return subject and body of the template, each in pieces, for a page that marks what is hidden."""
    version = _versions([message])[message.template_id, message.template_version]
    parts = [part for part in (version.subject, version.content) if part is not None]
    return [list(placeholders.pieces(part, {}, redact=True)) for part in parts]


def hides_name(file: Attachment) -> bool:
    """Return whether the file's name is personalisation that is hidden; it is too where its template is not known."""
    return file.template is None or file.template.redact_personalisation


def file_name(file: Attachment) -> str:
    """Return the name of a file, or its type and day where the name is hidden."""
    return file.masked_title if hides_name(file) else own_name(file)


def own_name(file: Attachment) -> str:
    """Return the name the caller gave a file, for those who see what its recipient sees."""
    try:
        return file.name or file.masked_title
    except DecryptionFailed:
        return f"{file.masked_title} (its name was encrypted under a key that is not here)"


def _versions(messages: Sequence[Notification]) -> dict[tuple[object, int], TemplateVersion]:
    templates = {message.template_id for message in messages}
    numbers = {message.template_version for message in messages}
    rows = TemplateVersion.objects.filter(template__in=templates, number__in=numbers)
    return {(row.template_id, row.number): row for row in rows}
