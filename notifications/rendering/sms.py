"""Text messages: the final text, how it is counted, and the console's views of it.

Source: docs/reference/rendering.md §3.
"""

import html
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from notifications.rendering import addresses, gsm, placeholders
from notifications.rendering.characters import one_line

MAX_CHARACTERS = 918  # without the prefix; six fragments of 153; Rendering §3.3
NAMED_REJECTED_CHARACTERS = 3

_SPACE_BEFORE_STOP = re.compile(r"(?<![ \t])[ \t]++(?=[,.])")  # starts at the run's beginning only, so it stays linear
_BLANK_LINES = re.compile(r"\n{3,}")
_BLANK = "\0"  # stands for an unknown value while counting; no text holds it, the API and the editor refuse it
_CLOSERS = {")": "(", "]": "["}


@dataclass(frozen=True, slots=True)
class Encoding:
    """How many units fit one fragment of its own, and one of several (the rest numbers the fragments)."""

    alone: int
    joined: int


SEVEN_BIT = Encoding(alone=160, joined=153)
SIXTEEN_BIT = Encoding(alone=70, joined=67)


@dataclass(frozen=True, slots=True)
class SmsText:
    """A text message as it is sent, shown and charged.

    text: with the prefix, if there is one
    prefix_chars: final length of the prefix, colon and space included
    """

    text: str
    prefix_chars: int = 0

    @property
    def chars(self) -> int:
        """Return the length in UTF-16 units; every character kept is one."""
        return len(self.text)

    @property
    def chars_without_prefix(self) -> int:
        """Return the length that the limit applies to."""
        return max(0, self.chars - self.prefix_chars)

    @property
    def non_gsm(self) -> list[str]:
        """List the letters that make the message 16-bit."""
        return sorted(gsm.SIXTEEN_BIT.intersection(self.text))

    @property
    def extended(self) -> int:
        """Count the characters that take two units of a 7-bit message."""
        return sum(map(self.text.count, gsm.TWO_UNITS))

    @property
    def encoding(self) -> Encoding:
        """Return the alphabet the message goes out in."""
        return SIXTEEN_BIT if self.non_gsm else SEVEN_BIT

    @property
    def units(self) -> int:
        """Return the length as the encoding counts it."""
        return self.chars if self.encoding is SIXTEEN_BIT else self.chars + self.extended

    @property
    def fragments(self) -> int:
        """Return how many messages are charged; the prefix counts."""
        encoding, units = self.encoding, self.units
        return 1 if units <= encoding.alone else math.ceil(units / encoding.joined)

    @property
    def over_previous_fragment_by(self) -> int | None:
        """Return the units to remove for one fragment less, or None if there is only one."""
        encoding, fragments = self.encoding, self.fragments
        if fragments == 1:
            return None
        return self.units - (encoding.alone if fragments == 2 else encoding.joined * (fragments - 1))

    @property
    def over_limit_by(self) -> int:
        """Return the characters above the limit."""
        return max(0, self.chars_without_prefix - MAX_CHARACTERS)

    @property
    def is_too_long(self) -> bool:
        """Say whether the message must be refused for its length."""
        return self.over_limit_by > 0

    @property
    def is_empty(self) -> bool:
        """Say whether nothing is left beside the prefix."""
        return self.chars_without_prefix == 0


def render(content: str, personalisation: Mapping[str, object], *, prefix: str | None = None) -> SmsText:
    """Make the final text of a message.

    prefix: the service's name if it is put in front of messages, else None

    >>> render("Bring ((kit)) .", {"kit": ["a spade", "sacks"]}, prefix="Depot").text
    'Depot: Bring a spade and sacks.'
    """
    filled = placeholders.fill(content, personalisation)
    return SmsText(gsm.encode(_tidy(_lead(prefix) + filled)), _prefix_chars(prefix))


def editor_count(content: str, *, prefix: str | None = None) -> SmsText:
    """Measure a template before its values are known.

    Placeholders count as nothing. The space around a plain one still counts; conditionals leave before the text is
    tidied, so theirs may not.
    """

    def blank(match: re.Match[str]) -> str:
        return "" if placeholders.CONDITION in match["inside"] else _BLANK

    tidied = _tidy(_lead(prefix) + placeholders.PLACEHOLDER.sub(blank, content))
    return SmsText(gsm.encode(tidied.replace(_BLANK, "")), _prefix_chars(prefix))


def rejected_characters(content: str) -> list[str]:
    """List the characters of a template that would become question marks, in code point order.

    All stored text is looked at, names of placeholders included. The editor names the first
    NAMED_REJECTED_CHARACTERS of them.

    >>> rejected_characters("½ price 🛶 ((name))")
    ['½', '🛶']
    """
    return sorted(filter(gsm.is_lost, set(content)))


def preview_html(text: SmsText) -> str:
    """Write the console's preview: escaped, with line breaks, and with what a phone would link as links.

    >>> preview_html(SmsText("See quay.example. Ta & bye"))
    'See <a href="http://quay.example">quay.example</a>. Ta &amp; bye'
    """
    parts: list[str] = []
    end = 0
    for address in addresses.find(text.text):
        linked = _without_trailing_marks(address.text)
        href = linked if address.has_scheme else f"http://{linked}"
        parts.append(html.escape(text.text[end : address.start], quote=False))
        parts.append(f'<a href="{html.escape(href)}">{html.escape(linked, quote=False)}</a>')
        end = address.start + len(linked)
    parts.append(html.escape(text.text[end:], quote=False))
    return "".join(parts).replace("\n", "<br>")


def _clean_prefix(prefix: str | None) -> str:
    return " ".join((prefix or "").split())


def _lead(prefix: str | None) -> str:
    cleaned = _clean_prefix(prefix)
    return f"{cleaned}: " if cleaned else ""


def _prefix_chars(prefix: str | None) -> int:
    cleaned = _clean_prefix(prefix)
    return len(gsm.encode(_tidy(cleaned))) + len(": ") if cleaned else 0


def _tidy(text: str) -> str:
    """Bring white space in order: steps 3 to 6 of Rendering §3.1."""
    lines = _SPACE_BEFORE_STOP.sub("", text).splitlines()
    return _BLANK_LINES.sub("\n\n", "\n".join(map(one_line, lines))).strip()


def _without_trailing_marks(address: str) -> str:
    """Leave punctuation of the sentence, and brackets opened before the address, outside the link."""
    balance = {closer: address.count(opener) - address.count(closer) for closer, opener in _CLOSERS.items()}
    end = len(address)
    while end and (address[end - 1] in ".,:" or balance.get(address[end - 1], 0) < 0):
        if address[end - 1] in balance:
            balance[address[end - 1]] += 1
        end -= 1
    return address[:end]
