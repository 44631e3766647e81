"""The characters that nobody sees. They come along when people copy text from documents, chats and contacts.

Source: docs/reference/rendering.md §4.1, §7, §8.
"""

import re
import unicodedata

ZERO_WIDTH = "\u180e\u200b\u200c\u200d\u2060\ufeff\u2028\u2029"
NO_BREAK_SPACES = "\u00a0\u202f"
DIRECTION_CONTROLS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_DIRECTION_MARKS = "\u061c\u200e\u200f"
_SOFT_HYPHEN = "\u00ad"
_JOINERS = "\u034f\u2061\u2062\u2063\u2064"
_NARROW_SPACES = "\u2007\u2008\u2009\u200a"
_SELECTORS = "\ufe0e\ufe0f"  # the form of an emoji, also after digits

_DIRECTIONS = DIRECTION_CONTROLS + _DIRECTION_MARKS
_ALL = ZERO_WIDTH + NO_BREAK_SPACES + _DIRECTIONS + _SOFT_HYPHEN + _JOINERS + _NARROW_SPACES + _SELECTORS
_DELETE = str.maketrans("", "", _ALL)

_SPELLING = "\u200c\u200d"  # zero-width non-joiner and joiner
_ZERO_WIDTH_RUN = re.compile(f"[{ZERO_WIDTH}]++")
_LATIN_END = "\u0250"  # Latin letters need no joiner: one between them was copied along
_VIRAMA = 9  # the combining class of marks that a joiner follows at the end of a word


def without_zero_width(text: str) -> str:
    """Delete zero-width characters, except joiners that a word or an emoji is spelled with.

    >>> without_zero_width("می\u200cخواهم") == "می\u200cخواهم", without_zero_width("tide\u200cs \u200d")
    (True, 'tides ')
    """
    return text if text.isascii() else _ZERO_WIDTH_RUN.sub(_joiner, text)


def _joiner(match: re.Match[str]) -> str:
    before, after = match.string[max(match.start() - 1, 0) : match.start()], match.string[match.end() : match.end() + 1]
    joins = _is_joined(before) and (_is_joined(after) or unicodedata.combining(before) == _VIRAMA)
    return next((joiner for joiner in match[0] if joiner in _SPELLING), "") if joins else ""


def _is_joined(character: str) -> bool:
    return character >= _LATIN_END and not character.isspace()


def without_unseen(text: str) -> str:
    """Return a text that has no space of its own, such as a recipient or a keyword, without these characters.

    >>> without_unseen("\\u202a07700\\u00a0900\\u2009123\\u202c"), without_unseen("ana\\u00ad@example.org")
    ('07700900123', 'ana@example.org')
    """
    return text if text.isascii() else text.translate(_DELETE)
