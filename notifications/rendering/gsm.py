"""Encode text for text messages: the allowed characters and replacements. Source: docs/reference/rendering.md §3.2."""

import unicodedata
from functools import lru_cache

from config.unseen import NO_BREAK_SPACES, ZERO_WIDTH
from notifications.rendering import latin

ONE_UNIT = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
TWO_UNITS = frozenset("^{}\\[~]|€")
_WELSH = frozenset(
    unicodedata.normalize("NFC", letter + accent)
    for letter in "aeiouwyAEIOUWY"
    for accent in "\u0300\u0301\u0308\u0302"  # grave, acute, diaeresis, circumflex
)
SIXTEEN_BIT = _WELSH - ONE_UNIT  # one of these 43 makes the whole message 16-bit
KEPT = ONE_UNIT | TWO_UNITS | _WELSH
UNKNOWN = "?"

_REPLACED = {
    **dict.fromkeys("\u2011\u2013\u2014\u2212", "-"),
    **dict.fromkeys("‘’‚", "'"),
    **dict.fromkeys("“”„", '"'),
    "…": "...",
    "Ł": "L",
    "ł": "l",
    "\t": " ",
    **dict.fromkeys(NO_BREAK_SPACES, " "),
    **dict.fromkeys(ZERO_WIDTH, ""),
}


def encode(text: str) -> str:
    """Replace every character that a text message cannot contain.

    >>> encode("“Łódź” – 5 € 🚲")
    '"Lódz" - 5 € ?'
    """
    return text if KEPT.issuperset(text) else "".join(map(_encoded, text))


def sendable(value: str) -> str:
    """Return a value with accents joined to their letters, and the plain form of letters that cannot be sent.

    The text of a template is not changed: vectors fix that the editor refuses such letters.

    >>> encode(sendable("Ame\u0301lie")), encode(sendable("Đorđe Việt")), encode("Ame\u0301lie Đorđe")
    ('Amélie', 'Dorde Viet', 'Ame?lie ?or?e')
    """
    return value if value.isascii() else "".join(map(_nearest, unicodedata.normalize("NFC", value)))


def is_lost(character: str) -> bool:
    """Return whether the character becomes a question mark. White space never does, because lines are tidied first."""
    return character != UNKNOWN and not character.isspace() and _encoded(character) == UNKNOWN


@lru_cache(maxsize=2048)
def _encoded(character: str) -> str:
    if character in KEPT:
        return character
    if base := _canonical_base(character):
        return base if base in KEPT else UNKNOWN
    return _REPLACED.get(character, UNKNOWN)


@lru_cache(maxsize=2048)
def _nearest(character: str) -> str:
    """Return the letter that is nearest to a lost one. A letter with several accents may lose some of them."""
    if not is_lost(character):
        return character
    base = _canonical_base(character)
    return _nearest(base) if base else latin.base(character) or character


def _canonical_base(character: str) -> str:
    """Return the first character of the one-step canonical mapping. Compatibility mappings (`½`, `ﬁ`) return ""."""
    mapping = unicodedata.decomposition(character)
    if not mapping or mapping.startswith("<"):
        return ""
    return chr(int(mapping.split()[0], 16))
