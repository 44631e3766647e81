"""Remove invisible characters, decode references, and shield characters that a backslash escapes.

An escaped character has no meaning for blocks, links and typography, but it counts as a neighbour of other characters.
Until the text is written, a lone surrogate replaces it ("shielded"). No other text contains surrogates: the API
rejects them, and `without_surrogates` replaces the rest. Source: docs/reference/rendering.md §3.2, §4.1, §4.2, §4.4.
"""

import html
import re
from html.entities import html5

ZERO_WIDTH = "\u180e\u200b\u200c\u200d\u2060\ufeff\u2028\u2029"
NO_BREAK_SPACES = "\u00a0\u202f"

_TIDY_LINE = str.maketrans(dict.fromkeys(ZERO_WIDTH, "") | dict.fromkeys(NO_BREAK_SPACES, " "))
_DELETE_BOTH = str.maketrans("", "", ZERO_WIDTH + NO_BREAK_SPACES)
ESCAPABLE = "\\`*{}[]()#+-.!_>~|<^•="
QUOTES = "'\""

_FIRST_SHIELD = 0xDC00
_SHIELDS = {character: chr(_FIRST_SHIELD + number) for number, character in enumerate(ESCAPABLE + QUOTES)}
_UNSHIELD = str.maketrans({shield: character for character, shield in _SHIELDS.items()})
_SHIELD_QUOTES = str.maketrans(dict.fromkeys("'‘’", _SHIELDS["'"]))
_ESCAPE = re.compile(rf"\\([{re.escape(ESCAPABLE)}])")
_SUBJECT_ESCAPE = re.compile(rf"\\([{re.escape(ESCAPABLE + QUOTES)}])")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Eight digits are enough for every code point. Longer references stay as typed, so no number grows without bound.
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]*+);")
_FILLERS = str.maketrans("", "", "\u2028\u3164")  # line separator, Hangul filler


def one_line(text: str) -> str:
    """Return a text as one line without invisible characters, each run of white space replaced by one space.

    >>> one_line(" Tide\\u00a0 times\\u200b\\n today ")
    'Tide times today'
    """
    return " ".join(text.translate(_TIDY_LINE).split())


def without_invisible(text: str) -> str:
    """Delete zero-width characters and no-break spaces, and trim.

    >>> without_invisible(" a\\u200b lamp\\u00a0")
    'a lamp'
    """
    return text.translate(_DELETE_BOTH).strip()


def without_fillers(text: str) -> str:
    """Delete U+2028 and U+3164, which are invisible or break mail programs."""
    return text.translate(_FILLERS)


def decode_references(text: str) -> str:
    """Decode, once, the HTML character references that end in a semicolon.

    >>> decode_references("Fees &pound;5 &amp;amp; &copy 2026 &unknown;")
    'Fees £5 &amp; &copy 2026 &unknown;'
    """
    return _REFERENCE.sub(_decoded, text)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates with U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def shield(text: str) -> str:
    """Remove the backslash before each escapable character of a body and shield that character.

    >>> unshield(shield(r"\\*not bold\\* in C:\\temp"))
    '*not bold* in C:\\\\temp'
    """
    return _ESCAPE.sub(_shield_match, text) if "\\" in text else text


def shield_subject(text: str) -> str:
    """Shield the escaped characters of a subject, in which quotes can be escaped too."""
    return _SUBJECT_ESCAPE.sub(_shield_match, text)


def shield_quotes(text: str) -> str:
    """Replace every single quote with a straight, shielded one."""
    return text.translate(_SHIELD_QUOTES)


def shielded(characters: str) -> str:
    """Return the shielded forms of escapable characters, for patterns that match neighbours."""
    return "".join(_SHIELDS[character] for character in characters)


def unshield(text: str) -> str:
    """Replace shielded characters with the characters that they stand for."""
    return text.translate(_UNSHIELD)


def _shield_match(match: re.Match[str]) -> str:
    return _SHIELDS[match[1]]


def _decoded(match: re.Match[str]) -> str:
    reference = match[0]
    if reference.startswith("&#"):
        return html.unescape(reference)
    return html5.get(reference[1:], reference)
