"""Render emails for previews: a large one in a limited process, so that it cannot end the process of other people.

Lists of 1.9 MB take 8 s and 500 MB, and a value of 1 MB in a thousand placeholders takes 1 GB.
Source: docs/reference/rendering.md §4.11; docs/reference/security.md §14.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from config import limited
from config.limited import ProcessLimits
from config.limited.limits import MIB
from notifications.errors import EmailTooLargeToShow
from notifications.rendering import email, words
from notifications.rendering.email import EmailText

LARGE_CHARACTERS = 100_000
MOST_HTML_CHARACTERS = 10_000_000
LIMITS = ProcessLimits(memory_bytes=300 * MIB, cpu_seconds=4, seconds=6)

_OPENING = "(("


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewParts:
    """The parts of an email, as `EmailText` has them."""

    language: str
    subject: str
    body: str
    title: str
    preheader: str
    html: str
    plain: str


def render(
    subject: str,
    content: str,
    values: Mapping[str, object],
    *,
    language: str = words.ENGLISH,
    unsubscribe_url: str | None,
    unlinked_names: tuple[str, ...],
) -> EmailText | PreviewParts:
    """Fill a template, as `email.render` does, and return its parts. Raises EmailTooLargeToShow."""
    more: dict[str, Any] = {"language": language, "unsubscribe_url": unsubscribe_url, "unlinked_names": unlinked_names}
    if _most_characters(content, values) <= LARGE_CHARACTERS:
        return email.render(subject, content, values, **more)
    return _limited(_render, subject, content, dict(values), more)


def parts_of(text: EmailText) -> EmailText | PreviewParts:
    """Return the parts of a filled email. Raises EmailTooLargeToShow."""
    return text if len(text.filled) <= LARGE_CHARACTERS else _limited(_parts, text)


def _most_characters(content: str, values: Mapping[str, object]) -> int:
    """Return a number of characters that the filled template does not exceed by much."""
    longest = max((len(str(value)) for value in values.values()), default=0)
    return len(content) + content.count(_OPENING) * longest


def _limited(function: Callable[..., PreviewParts | None], *arguments: object) -> PreviewParts:
    try:
        parts = limited.run(function, *arguments, limits=LIMITS)
    except limited.LimitExceeded as error:
        raise EmailTooLargeToShow from error
    if parts is None:
        raise EmailTooLargeToShow
    return parts


def _render(subject: str, content: str, values: Mapping[str, object], more: Mapping[str, Any]) -> PreviewParts | None:
    return _parts(email.render(subject, content, values, **more))


def _parts(text: EmailText) -> PreviewParts | None:
    """Return the parts, or None if the HTML is too large for a page."""
    html = text.html
    if len(html) > MOST_HTML_CHARACTERS:
        return None
    return PreviewParts(
        language=text.language,
        subject=text.subject,
        body=text.body,
        title=text.title,
        preheader=text.preheader,
        html=html,
        plain=text.plain,
    )
