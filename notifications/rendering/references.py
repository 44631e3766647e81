"""Decode HTML character references and delete invisible fillers. Source: docs/reference/rendering.md §4.2."""

import html
import re
from html.entities import html5

# Eight digits are enough for every code point. Longer references stay as typed, so no number grows without bound.
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]*+);")
_FILLERS = str.maketrans("", "", "\u2028\u3164")  # line separator, Hangul filler


def without_fillers(text: str) -> str:
    """Delete U+2028 and U+3164, which are invisible or break mail programs."""
    return text.translate(_FILLERS)


def decode(text: str) -> str:
    """Decode, once, the character references that end in a semicolon.

    >>> decode("Fees &pound;5 &amp;amp; &copy 2026 &unknown;")
    'Fees £5 &amp; &copy 2026 &unknown;'
    """
    return _REFERENCE.sub(_decoded, text)


def _decoded(match: re.Match[str]) -> str:
    reference = match[0]
    if reference.startswith("&#"):
        return html.unescape(reference)
    return html5.get(reference[1:], reference)
