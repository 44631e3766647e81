"""Remove invisible characters, decode references, shield escaped characters, and set quotes, dashes and spaces.

An escaped character has no meaning for blocks, links and typography, but it counts as a neighbour of other characters.
Until the text is written, a lone surrogate replaces it ("shielded"). No other text contains surrogates: the API
rejects them, and `without_surrogates` replaces the rest. One exception: in a body a hyphen between spaces becomes a
dash even if it is shielded, because the sanitiser shields every hyphen.
Source: docs/reference/rendering.md §3.2, §4.1, §4.2, §4.4, §4.6.
"""

import html
import re
from html.entities import html5

from config.unseen import NO_BREAK_SPACES, ZERO_WIDTH, without_zero_width

_SPACES = str.maketrans(dict.fromkeys(NO_BREAK_SPACES, " "))
_TIDY_LINE = _SPACES | str.maketrans("", "", ZERO_WIDTH)
_DELETE_SPACES = str.maketrans("", "", NO_BREAK_SPACES)
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


def spelled_line(text: str) -> str:
    """Return a text as one line, as `one_line` does, with the joiners that words and emoji are spelled with.

    >>> spelled_line("می\\u200cخواهم\\u200b\\n2") == "می\\u200cخواهم 2"
    True
    """
    return " ".join(without_zero_width(text).translate(_SPACES).split())


def without_invisible(text: str) -> str:
    """Delete no-break spaces and zero-width characters, except joiners that words are spelled with, and trim.

    >>> without_invisible(" a\\u200b lamp\\u00a0")
    'a lamp'
    """
    return without_zero_width(text).translate(_DELETE_SPACES).strip()


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
    return _SUBJECT_ESCAPE.sub(_shield_match, text) if "\\" in text else text


def _with_shielded_quotes(text: str) -> str:
    """Replace every single quote with a straight, shielded one."""
    return text.translate(_SHIELD_QUOTES)


def _shielded(characters: str) -> str:
    """Return the shielded forms of escapable characters, for patterns that match neighbours."""
    return "".join(_SHIELDS[character] for character in characters)


def unshield(text: str) -> str:
    """Replace shielded characters with the characters that they stand for."""
    return text.translate(_UNSHIELD)


# Each pattern matches only at the start of a run, so the time stays linear for long runs.
_SPACE_BEFORE_STOP = re.compile(r"(?<![ \t])[ \t]++(?=[,.])")
_SPACED_DASH = re.compile(rf"(?<![^\S\n])[^\S\n]++[-–—{_shielded('-')}]{{1,3}}[^\S\n]++")
_SPACED_DASH_OF_SUBJECT = re.compile(r"(?<![^\S\n])[^\S\n]++[-–—]{1,3}[^\S\n]++")
_RUN = re.compile(r"\S++")
_ANYTHING_TO_SET = re.compile("['‘’\",.–—-]|[\ud800-\udfff]")

# Any other character. A no-break space is more often inside quotes than before them.
_CLOSES_AFTER = rf"(?<=[^\s\[{{(\-{re.escape(_shielded('[{(-'))}]|\u00a0)"
_QUOTE = re.compile(
    rf"""
      (?P<opening>(?<=\s)['"](?=\w) | "'(?=\w) | '"(?=\w))
    | (?P<closing>{_CLOSES_AFTER}'(?!\d) | {_CLOSES_AFTER}" | "(?=\s))
    | (?P<other>['"])
    """,
    re.VERBOSE,
)
_OPENED = str.maketrans("'\"", "‘“")
_CLOSED = str.maketrans("'\"", "’”")


def typeset(text: str, *, before: str = "", curl: bool = True, is_subject: bool = False) -> str:
    """Return one text node of an email, or a subject, with typographic characters, unshielded.

    before: the text before the node; a quote directly after a link is a closing quote
    curl: False for link texts in HTML, whose quotes stay straight
    is_subject: leave escaped hyphens between spaces as typed

    >>> typeset("She said \\"it's 5 - 6\\" , not '90s")
    'She said “it’s 5 – 6”, not ‘90s'
    """
    if not _ANYTHING_TO_SET.search(text):
        return text
    text = _SPACE_BEFORE_STOP.sub("", text)
    if "@" in text:
        text = _RUN.sub(_with_straight_apostrophes, text)
    if curl:
        text = _curled(text, before)
    return unshield((_SPACED_DASH_OF_SUBJECT if is_subject else _SPACED_DASH).sub(" – ", text))


def _shield_match(match: re.Match[str]) -> str:
    return _SHIELDS[match[1]]


def _decoded(match: re.Match[str]) -> str:
    reference = match[0]
    if reference.startswith("&#"):
        return html.unescape(reference)
    return html5.get(reference[1:], reference)


def _curled(text: str, before: str) -> str:
    neighbour = " " if not before or before[-1].isspace() else "x"
    return _QUOTE.sub(_curl, neighbour + text)[1:]


def _curl(match: re.Match[str]) -> str:
    return match[0].translate(_CLOSED if match.lastgroup == "closing" else _OPENED)


def _with_straight_apostrophes(match: re.Match[str]) -> str:
    """Keep single quotes straight in a word that contains an email address."""
    return _with_shielded_quotes(match[0]) if "@" in match[0] else match[0]
