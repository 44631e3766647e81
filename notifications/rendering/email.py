"""Render emails: the subject, the body that the API shows, and the parts that the provider gets.
Source: docs/reference/rendering.md §4.

The response to a POST needs only the subject and the body. The Markdown is parsed when a part is read, so that this
work is done by the worker and not during the request.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from notifications.rendering import markdown, placeholders, words
from notifications.rendering.characters import (
    decode_references,
    shield_subject,
    spelled_line,
    typeset,
    without_fillers,
    without_surrogates,
)
from notifications.rendering.markdown import writers
from notifications.rendering.markdown.tree import Block
from notifications.rendering.placeholders import Lists

MAX_BYTES = 2_000_000  # of the filled body in UTF-8. Source: docs/reference/rendering.md §4.10

_SURELY_SHORT = MAX_BYTES // 4  # characters: UTF-8 has at most four bytes for one
_ZERO_WIDTH_SPACE = "\u200b"
_BLOCK_MARKS = r"(?<![^\r\n])(?>(?:[ \t#^*•-]|[0-9]++\.)+)"  # one or more, at the start of a line

# A heading or an inset whose values are all blank. It is removed when it is filled: later, `#` could be typed text.
_BLANK = "\ud800"  # stands before a blank value; the API rejects surrogates, so no text contains it
_BLANK_VALUES = rf"{_BLANK}[ \t#{_BLANK}]*+(?![^\r\n])"
_UNDERLINE = r"(?:\r\n?|\n)[ \t^]*+=++[ \t]*+(?![^\r\n])"
_EMPTIED = re.compile(
    rf"(?<![^\r\n])[ \t]*+(?:[#^][ \t#^]*+{_BLANK_VALUES}(?:{_UNDERLINE})?|{_BLANK_VALUES}{_UNDERLINE})"
)


@dataclass(frozen=True, kw_only=True)
class EmailText:
    """An email with its values filled in.

    `subject` and `filled` are enough to store: `EmailText(subject=…, filled=…)` writes the same parts again.

    filled: the template with its values, before the Markdown is parsed; untrimmed, because leading spaces nest lists
    is_empty: whether a template of placeholders only became empty; such an email is rejected
    language: of the text
    unsubscribe_url: the link in the footer, or None
    unlinked_names: host names that mail programs must not turn into links
    """

    subject: str
    filled: str
    is_empty: bool = False
    language: str = words.ENGLISH
    unsubscribe_url: str | None = None
    unlinked_names: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return the subject as the title of the HTML part, not escaped: references are decoded as in the body."""
        return decode_references(self.subject)

    @property
    def body(self) -> str:
        """Return the body as the API shows it: as Markdown, without the footer."""
        return self.filled.strip()

    @property
    def size_bytes(self) -> int:
        """Return the size that the limit applies to, in bytes of UTF-8."""
        return len(self.filled.encode())

    @property
    def is_too_long(self) -> bool:
        """Return whether the email exceeds the size limit."""
        return len(self.filled) > _SURELY_SHORT and self.size_bytes > MAX_BYTES

    @cached_property
    def tree(self) -> list[Block]:
        """Return the parsed body with the footer."""
        source = self.filled + _footer(self.unsubscribe_url, self.language)
        decoded = without_fillers(decode_references(source))
        return markdown.parse(_unlinked(decoded, self.unlinked_names))

    @property
    def html(self) -> str:
        """Return the body as an HTML fragment. `document.html_document` returns the whole document."""
        return writers.write_html(self.tree)

    @property
    def plain(self) -> str:
        """Return the plain text part."""
        return writers.write_plain(self.tree)

    @property
    def preheader(self) -> str:
        """Return the preheader: the first words of the email, not escaped."""
        return writers.write_preheader(self.tree)


def render(
    subject: str,
    content: str,
    personalisation: Mapping[str, object],
    *,
    language: str = words.ENGLISH,
    unsubscribe_url: str | None = None,
    unlinked_names: Iterable[str] = (),
) -> EmailText:
    """Fill a template with personalisation. language: of its text

    >>> render("Tides", "Dear ((name)),", {"name": "Idris"}).body
    'Dear Idris,'
    """
    marked = placeholders.fill(
        content, personalisation, lists=Lists.AS_BULLETS, language=language, change=_marked_if_blank
    )
    filled = without_blanks = marked
    if _BLANK in marked:
        filled, without_blanks = _EMPTIED.sub("", marked).replace(_BLANK, ""), marked.replace(_BLANK, "")
    return EmailText(
        subject=render_subject(subject, personalisation, language=language),
        filled=filled,
        is_empty=not without_blanks.strip() and _is_only_placeholders(content),
        language=language,
        unsubscribe_url=unsubscribe_url,
        unlinked_names=tuple(unlinked_names),
    )


def render_subject(subject: str, personalisation: Mapping[str, object], *, language: str = words.ENGLISH) -> str:
    """Fill a subject: one line of plain text without control characters, which prevents header injection.

    >>> render_subject("It's 5 - 6 o'clock:\\n ((things))", {"things": ["rope", "bait"]})
    'It’s 5 – 6 o’clock: rope and bait'
    """
    filled = placeholders.fill(subject, personalisation, language=language)
    if not filled.isascii():
        filled = without_surrogates(filled)
    line = spelled_line(typeset(shield_subject(filled), is_subject=True))
    if line.isprintable():  # then it has no control character
        return line
    return "".join(character for character in line if unicodedata.category(character) != "Cc").strip()


def _marked_if_blank(value: str) -> str:
    return value if value.strip() else _BLANK + value


def _is_only_placeholders(content: str) -> bool:
    return not content.strip() or (content.startswith("((") and content.endswith("))"))


def _footer(unsubscribe_url: str | None, language: str) -> str:
    return f"\n\n---\n\n[{words.of(language).unsubscribe}]({unsubscribe_url})" if unsubscribe_url else ""


def _unlinked(source: str, names: tuple[str, ...]) -> str:
    """Insert a zero-width space after each dot of the names, where they are single words or follow block marks."""
    if not names:
        return source
    alone = rf"(?P<name>{'|'.join(map(re.escape, names))})(?![\w/?#-])"
    pattern = re.compile(rf"(?P<before>{_BLOCK_MARKS}|(?<!\S)){alone}", re.IGNORECASE)
    return pattern.sub(lambda match: match["before"] + match["name"].replace(".", f".{_ZERO_WIDTH_SPACE}"), source)
