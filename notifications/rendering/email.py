"""Emails: the subject, the text the API shows, and the parts handed to the provider.
Source: docs/reference/rendering.md §4.

What the POST answers is made at once; the tree and what is written from it only when asked for, so that a request
does not pay for what the worker needs.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape

from django.template.loader import render_to_string

from notifications.rendering import markdown, placeholders, references
from notifications.rendering.characters import one_line, shield_subject, without_surrogates
from notifications.rendering.markdown import html, plain, preheader
from notifications.rendering.markdown.tree import Block
from notifications.rendering.markdown.typography import typeset
from notifications.rendering.placeholders import Lists

MAX_BYTES = 2_000_000  # of the filled body in UTF-8; Rendering §4.10
DOCUMENT_TEMPLATE = "email/document.html"

_FRAGMENT_PLACE = "<!-- fragment -->"
_ZERO_WIDTH_SPACE = "\u200b"
_BLOCK_MARKS = r"(?<![^\r\n])(?:[ \t#^*•-]|[0-9]++\.)++"  # at the start of a line, in any number


@dataclass(frozen=True, kw_only=True)
class EmailText:
    """An email with its values in place.

    Keep `subject` and `filled` and the email can be made again: `EmailText(subject=…, filled=…)` writes the same parts.

    filled: the template with its values, before any Markdown is read; untrimmed, since leading spaces nest lists
    is_empty: nothing is left of a template of placeholders only; such an email is refused
    unsubscribe_url: of the footer, for templates that have one
    unlinked_names: host names that mail programs shall not turn into links
    """

    subject: str
    filled: str
    is_empty: bool = False
    unsubscribe_url: str | None = None
    unlinked_names: tuple[str, ...] = ()

    @property
    def html_subject(self) -> str:
        """Return the subject for a page: references decoded as in the body, then escaped."""
        return escape(references.decode(self.subject), quote=False)

    @property
    def body(self) -> str:
        """Return the body as the API shows it: Markdown left as written, no footer."""
        return self.filled.strip()

    @property
    def size_bytes(self) -> int:
        """Return the size that the limit applies to, in bytes of UTF-8."""
        return len(self.filled.encode())

    @property
    def is_too_long(self) -> bool:
        """Say whether the email must be refused for its size."""
        return self.size_bytes > MAX_BYTES

    @cached_property
    def tree(self) -> list[Block]:
        """Return the parsed body, footer included."""
        source = self.filled + _footer(self.unsubscribe_url)
        decoded = references.without_fillers(references.decode(source))
        return markdown.parse(_unlinked(decoded, self.unlinked_names))

    @property
    def html(self) -> str:
        """Return the HTML fragment, without a document around it."""
        return html.write(self.tree)

    @property
    def plain(self) -> str:
        """Return the plain part."""
        return plain.write(self.tree)

    @property
    def preheader(self) -> str:
        """Return the first words of the email, escaped for HTML."""
        return escape(preheader.write(self.tree), quote=False)


def render(
    subject: str,
    content: str,
    personalisation: Mapping[str, object],
    *,
    unsubscribe_url: str | None = None,
    unlinked_names: Iterable[str] = (),
) -> EmailText:
    """Fill a template.

    >>> render("Tides", "Dear ((name)),", {"name": "Idris"}).body
    'Dear Idris,'
    """
    filled = placeholders.fill(content, personalisation, lists=Lists.AS_BULLETS)
    return EmailText(
        subject=render_subject(subject, personalisation),
        filled=filled,
        is_empty=_is_empty(content, filled),
        unsubscribe_url=unsubscribe_url,
        unlinked_names=tuple(unlinked_names),
    )


def render_subject(subject: str, personalisation: Mapping[str, object]) -> str:
    """Fill a subject: plain text on one line, free of control characters, so no header can be smuggled in.

    >>> render_subject("It's 5 - 6 o'clock:\\n ((things))", {"things": ["rope", "bait"]})
    'It’s 5 – 6 o’clock: rope and bait'
    """
    filled = without_surrogates(placeholders.fill(subject, personalisation))
    line = one_line(typeset(shield_subject(filled)))
    return "".join(character for character in line if unicodedata.category(character) != "Cc").strip()


def html_document(text: EmailText, *, language: str = "en") -> str:
    """Return the HTML part: the fragment within the one template all emails share.

    Django escapes subject and preheader, which it gets raw. The fragment, escaped by its writer, is put in afterwards
    at a comment, which no escaped text can contain; so nothing that holds input is ever marked as safe.
    """
    raw = {"subject": references.decode(text.subject), "preheader": preheader.write(text.tree)}
    page = render_to_string(DOCUMENT_TEMPLATE, {"language": language, **raw})
    before, _, after = page.partition(_FRAGMENT_PLACE)
    return before + text.html + after


def _is_empty(content: str, filled: str) -> bool:
    if not content.strip():
        return True
    return content.startswith("((") and content.endswith("))") and not filled.strip()


def _footer(unsubscribe_url: str | None) -> str:
    return f"\n\n---\n\n[Unsubscribe from these emails]({unsubscribe_url})" if unsubscribe_url else ""


def _unlinked(source: str, names: tuple[str, ...]) -> str:
    """Put a zero-width space after each dot of the names, where they stand by themselves or right after block marks."""
    if not names:
        return source
    alone = rf"(?P<name>{'|'.join(map(re.escape, names))})(?![\w/?#-])"
    pattern = re.compile(rf"(?P<before>{_BLOCK_MARKS}|(?<!\S)){alone}", re.IGNORECASE)
    return pattern.sub(lambda match: match["before"] + match["name"].replace(".", f".{_ZERO_WIDTH_SPACE}"), source)
