"""Set typographic quotes, dashes and spaces. Source: docs/reference/rendering.md §4.6.

`typeset` works on one text node of an email, or on a subject. It does not change shielded characters (see
`characters`), but they count as the original character for their neighbours. One exception: a hyphen between spaces
becomes a dash even if it is shielded, because the sanitiser shields every hyphen.
Each pattern matches only at the start of a run, so the time stays linear for long runs.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from notifications.rendering.characters import shield_quotes, shielded, unshield
from notifications.rendering.markdown.tree import BareUrl, Break, Inline, Link

_SPACE_BEFORE_STOP = re.compile(r"(?<![ \t])[ \t]++(?=[,.])")
_SPACED_DASH = re.compile(rf"(?<![^\S\n])[^\S\n]++[-–—{shielded('-')}]{{1,3}}[^\S\n]++")
_RUN = re.compile(r"\S++")
_ANYTHING_TO_SET = re.compile("['‘’\",.–—-]|[\ud800-\udfff]")

# Any other character. A no-break space is more often inside quotes than before them.
_CLOSES_AFTER = rf"(?<=[^\s\[{{(\-{re.escape(shielded('[{(-'))}]|\u00a0)"
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


def typeset(text: str, *, before: str = "", curl: bool = True) -> str:
    """Return one text node with typographic characters, unshielded.

    before: the text before the node; a quote directly after a link is a closing quote
    curl: False for link texts in HTML, whose quotes stay straight

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
    return unshield(_SPACED_DASH.sub(" – ", text))


def with_text_before(nodes: Sequence[Inline]) -> Iterable[tuple[Inline, str]]:
    """Return each node of running text with the visible text of the node before it, for `typeset`."""
    return zip(nodes, chain([""], map(_visible, nodes)), strict=False)


def _visible(node: Inline) -> str:
    match node:
        case str():
            return node
        case Break():
            return "\n"
        case BareUrl():
            return node.target
        case Link():
            return node.text


def _curled(text: str, before: str) -> str:
    neighbour = " " if not before or before[-1].isspace() else "x"
    return _QUOTE.sub(_curl, neighbour + text)[1:]


def _curl(match: re.Match[str]) -> str:
    return match[0].translate(_CLOSED if match.lastgroup == "closing" else _OPENED)


def _with_straight_apostrophes(match: re.Match[str]) -> str:
    """Keep single quotes straight in a word that contains an email address."""
    return shield_quotes(match[0]) if "@" in match[0] else match[0]
