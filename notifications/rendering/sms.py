"""Render text messages, count their characters and fragments, and preview them in the console.

Source: docs/reference/rendering.md §3.
"""

import html
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from notifications.rendering import gsm, links, placeholders, words
from notifications.rendering.characters import one_line

MAX_CHARACTERS = 918  # six fragments of 153, without the prefix. Source: docs/reference/rendering.md §3.3
NAMED_REJECTED_CHARACTERS = 3

_SPACE_BEFORE_STOP = re.compile(r"(?<![ \t])[ \t]++(?=[,.])")  # matches only at the start of a run: linear time
_BLANK_LINES = re.compile(r"\n{3,}")
_BLANK = "\0"  # replaces an unknown value during counting; the API and the editor reject it, so no text contains it
_CLOSERS = {")": "(", "]": "["}


@dataclass(frozen=True, slots=True)
class Encoding:
    """The units of one fragment: `alone` if it is the only one, `joined` if a header must number the fragments."""

    alone: int
    joined: int


SEVEN_BIT = Encoding(alone=160, joined=153)
SIXTEEN_BIT = Encoding(alone=70, joined=67)


@dataclass(frozen=True, slots=True)
class SmsText:
    """A text message as it is sent, shown and charged.

    text: the message with its prefix, if it has one
    prefix_chars: the length of the encoded prefix, with its colon and space
    """

    text: str
    prefix_chars: int = 0

    @property
    def chars(self) -> int:
        """Return the length in UTF-16 units. Every character that the encoding keeps is one unit."""
        return len(self.text)

    @property
    def chars_without_prefix(self) -> int:
        """Return the length that the limit applies to."""
        return max(0, self.chars - self.prefix_chars)

    @property
    def non_gsm(self) -> list[str]:
        """Return the sorted letters that make the message 16-bit."""
        return sorted(gsm.SIXTEEN_BIT.intersection(self.text))

    @property
    def extended(self) -> int:
        """Return the number of characters that take two units in a 7-bit message."""
        return sum(map(self.text.count, gsm.TWO_UNITS))

    @property
    def encoding(self) -> Encoding:
        """Return the encoding that the message is sent in."""
        return SEVEN_BIT if gsm.SIXTEEN_BIT.isdisjoint(self.text) else SIXTEEN_BIT

    @property
    def units(self) -> int:
        """Return the length in units of the encoding."""
        return self._units(self.encoding)

    @property
    def fragments(self) -> int:
        """Return the number of fragments that are charged, prefix included."""
        encoding = self.encoding
        units = self._units(encoding)
        return 1 if units <= encoding.alone else math.ceil(units / encoding.joined)

    @property
    def over_previous_fragment_by(self) -> int | None:
        """Return the units to remove to save one fragment, or None if there is only one."""
        encoding, fragments = self.encoding, self.fragments
        if fragments == 1:
            return None
        return self.units - (encoding.alone if fragments == 2 else encoding.joined * (fragments - 1))

    @property
    def over_limit_by(self) -> int:
        """Return the number of characters above the limit, or 0."""
        return max(0, self.chars_without_prefix - MAX_CHARACTERS)

    @property
    def is_too_long(self) -> bool:
        """Return whether the message exceeds the length limit."""
        return len(self.text) - self.prefix_chars > MAX_CHARACTERS

    @property
    def is_empty(self) -> bool:
        """Return whether the message has no text apart from the prefix."""
        return len(self.text) <= self.prefix_chars

    def _units(self, encoding: Encoding) -> int:
        return self.chars if encoding is SIXTEEN_BIT else self.chars + self.extended


def render(
    content: str,
    personalisation: Mapping[str, object],
    *,
    prefix: str | None = None,
    language: str = words.ENGLISH,
) -> SmsText:
    """Render the final text of a message.

    language: of the template's text
    prefix: the service's name if the service prefixes its messages with it, else None

    >>> render("Bring ((kit)) .", {"kit": ["a spade", "sacks"]}, prefix="Depot").text
    'Depot: Bring a spade and sacks.'
    """
    filled = placeholders.fill(content, personalisation, language=language, change=gsm.sendable)
    if not prefix:
        return SmsText(gsm.encode(_tidy(filled)))
    return SmsText(gsm.encode(_tidy(_lead(prefix) + filled)), _prefix_chars(prefix))


def editor_count(content: str, *, prefix: str | None = None) -> SmsText:
    """Measure a template before its values are known.

    Placeholders count as zero characters, but the spaces around a plain placeholder count. Conditionals are removed
    before the text is tidied, so the spaces around them may not count.
    """

    def blank(match: re.Match[str]) -> str:
        return "" if placeholders.CONDITION in match["inside"] else _BLANK

    tidied = _tidy(_lead(prefix) + placeholders.PLACEHOLDER.sub(blank, content))
    return SmsText(gsm.encode(tidied.replace(_BLANK, "")), _prefix_chars(prefix))


def rejected_characters(content: str) -> list[str]:
    """Return the characters of a template that become question marks, in code point order.

    The names of placeholders are searched too. The editor lists the first NAMED_REJECTED_CHARACTERS characters.

    >>> rejected_characters("½ price 🛶 ((name))")
    ['½', '🛶']
    """
    return sorted(filter(gsm.is_lost, set(content)))


def preview_html(text: SmsText) -> str:
    """Return the console's preview as escaped HTML, with line breaks and with the links that a phone would show.

    >>> preview_html(SmsText("See quay.example. Ta & bye"))
    'See <a href="http://quay.example">quay.example</a>. Ta &amp; bye'
    """
    parts: list[str] = []
    end = 0
    for link in links.find(text.text):
        linked = _without_trailing_marks(link.text)
        href = linked if link.has_scheme else f"http://{linked}"
        parts.append(html.escape(text.text[end : link.start], quote=False))
        parts.append(f'<a href="{html.escape(href)}">{html.escape(linked, quote=False)}</a>')
        end = link.start + len(linked)
    parts.append(html.escape(text.text[end:], quote=False))
    return "".join(parts).replace("\n", "<br>")


def _clean_prefix(prefix: str | None) -> str:
    return " ".join(gsm.sendable(prefix or "").split())


def _lead(prefix: str | None) -> str:
    cleaned = _clean_prefix(prefix)
    return f"{cleaned}: " if cleaned else ""


def _prefix_chars(prefix: str | None) -> int:
    cleaned = _clean_prefix(prefix)
    return len(gsm.encode(_tidy(cleaned))) + len(": ") if cleaned else 0


def _tidy(text: str) -> str:
    """Normalise white space. Source: docs/reference/rendering.md §3.1, steps 3 to 6."""
    lines = _SPACE_BEFORE_STOP.sub("", text).splitlines()
    return _BLANK_LINES.sub("\n\n", "\n".join(map(one_line, lines))).strip()


def _without_trailing_marks(link: str) -> str:
    """Remove trailing punctuation, and closing brackets that were opened before the URL."""
    balance = {closer: link.count(opener) - link.count(closer) for closer, opener in _CLOSERS.items()}
    end = len(link)
    while end and (link[end - 1] in ".,:" or balance.get(link[end - 1], 0) < 0):
        if link[end - 1] in balance:
            balance[link[end - 1]] += 1
        end -= 1
    return link[:end]
