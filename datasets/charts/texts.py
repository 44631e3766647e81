"""Texts in a chart: without characters that XML forbids, and never wider than their place.

Source: docs/reference/charts.md §3.
"""

import unicodedata
from functools import lru_cache
from html import escape as html_escape

import regex

from config.unseen import DIRECTION_CONTROLS

_FORBIDDEN = regex.compile(r"[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}" + DIRECTION_CONTROLS + r"]+")
_STACKED = regex.compile(r"(\p{M}{2})\p{M}+")  # more marks would grow into the lines above
_NOT_IN_FONT = regex.compile(  # see fonts/README.md
    r"[^\n -~\u00a0-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff"
    r"\u2010-\u2027\u2030-\u203a\u20a0-\u20bf\u2190-\u2195\u2212]"
)
_SPACE = regex.compile(r"\s+")
_ELLIPSIS = "…"
_WIDE = set("mwMW@%&—…")
_THIN = set("iljtfrI.,:;'|!()[] ")


def clean(text: str) -> str:
    """Return a text of one line without control characters, bidirectional controls and stacks of marks."""
    return _STACKED.sub(r"\1", _SPACE.sub(" ", _FORBIDDEN.sub(" ", text))).strip()


def escape(text: str) -> str:
    """Return a text for an element or an attribute of an SVG. Line feeds stay."""
    return html_escape("\n".join(clean(line) for line in text.split("\n")))


def needs_other_fonts(text: str) -> bool:
    """Return whether a text has characters that the font in this package lacks."""
    return _NOT_IN_FONT.search(text) is not None


def cut(text: str, length: int) -> str:
    """Return at most this many characters.

    >>> cut("applications", 6), cut("post", 6)
    ('appli…', 'post')
    """
    text = clean(text[: length * 4])
    return text if len(text) <= length else text[: length - 1].rstrip() + _ELLIPSIS


def width(text: str, font_size: float) -> float:
    """Return how wide a text is at most in common fonts without serifs."""
    return sum(map(_width, text)) * font_size


def fitted(text: str, most: float, font_size: float) -> str:
    """Return the beginning of a text that is not wider than `most`."""
    text = clean(text[:500])
    if width(text, font_size) <= most:
        return text
    used, kept = width(_ELLIPSIS, font_size), 0
    for kept, character in enumerate(text):  # noqa: B007 - the count is used after the loop
        used += _width(character) * font_size
        if used > most:
            break
    return text[:kept].rstrip() + _ELLIPSIS


def lines(text: str, most: float, font_size: float, *, count: int) -> list[str]:
    """Return a text in at most `count` lines, cut where it does not fit."""
    found: list[str] = []
    rest = clean(text[:500])
    while rest and len(found) < count - 1:
        words = rest.split(" ")
        taken = 1
        while taken < len(words) and width(" ".join(words[: taken + 1]), font_size) <= most:
            taken += 1
        line, rest = " ".join(words[:taken]), " ".join(words[taken:])
        found.append(fitted(line, most, font_size))
    return [*found, fitted(rest, most, font_size)] if rest else found


@lru_cache(maxsize=2_000)
def _width(character: str) -> float:
    """Return the width of a character in parts of the font size. Measured in DejaVu Sans, a wide font."""
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF:
        return 1.05
    if character in _WIDE:
        return 0.98
    if character in _THIN:
        return 0.42
    return 0.79 if character.isupper() or ord(character) > 0x250 else 0.64
