"""Parse running text: escapes, links, images and bare URLs. Source: docs/reference/rendering.md §4.4, §4.5.

The parser makes one pass from left to right and takes linear time. Escapes are shielded first, so every bracket and
full stop that remains has its usual meaning. The partners of all square brackets are found in advance. A closing title
quote that does not exist is searched for only once.
"""

import re

from notifications.rendering.characters import shield, unshield
from notifications.rendering.markdown.tree import BareUrl, Break, Inline, Link

_SPECIAL = re.compile(r"\n|!?\[|https?://")
_BRACKET = re.compile(r"[\[\]]")
_URL = re.compile(r"https?://[^\s<]++")
_NOT_LAST_OF_URL = ".,:\"')]"
_TITLE_START = re.compile(r"(?<!\s)\s++(?P<quote>[\"'])")
_TITLE_END = {quote: re.compile(rf"{quote}\s*+\)") for quote in "\"'"}


def parse(source: str) -> list[Inline]:
    """Parse the text of one block.

    >>> parse("See [map](https://quay.example)\\n!")
    ['See ', Link(text='map', target='https://quay.example', title=None), Break(), '!']
    """
    shielded = shield(source)
    if not _SPECIAL.search(shielded):
        return [shielded] if shielded else []
    return _Scanner(shielded).scan()


class _Scanner:
    """The state of one pass over a text whose escapes are shielded."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.partners = _bracket_partners(source)
        self.last_title_end = {quote: _last_start(pattern, source) for quote, pattern in _TITLE_END.items()}
        self.last_bracket = source.rfind(")")
        self.nodes: list[Inline] = []
        self.text_from = 0  # start of the current text node

    def scan(self) -> list[Inline]:
        position = 0
        while match := _SPECIAL.search(self.source, position):
            position = self._take(match)
        self._flush(len(self.source))
        return self.nodes

    def _take(self, match: re.Match[str]) -> int:
        """Add the node for a match and return the index to continue from. A match that is not a link stays text."""
        start, special = match.start(), match[0]
        if special == "\n":
            self._add(start, match.end(), Break())
        elif special.endswith("["):
            found = self._link(match.end() - 1)
            if not found:
                return match.end()
            link, end = found
            self._add(start, end, None if special.startswith("!") else link)
        else:
            end = self._url_end(start)
            if end <= match.end():
                return match.end()
            self._add(start, end, BareUrl(unshield(self.source[start:end])))
        return self.text_from

    def _add(self, start: int, end: int, node: Inline | None) -> None:
        self._flush(start)
        if node is not None:
            self.nodes.append(node)
        self.text_from = end

    def _flush(self, end: int) -> None:
        if self.text_from < end:
            self.nodes.append(self.source[self.text_from : end])

    def _url_end(self, start: int) -> int:
        """Return the end of a bare URL. Trailing stars mark bold and are excluded unless the URL contains others."""
        match = _URL.match(self.source, start)
        if match is None:
            return start
        url = match[0].rstrip(_NOT_LAST_OF_URL + "*")
        return start + len(match[0].rstrip(_NOT_LAST_OF_URL) if "*" in url else url)

    def _link(self, opening: int) -> tuple[Link, int] | None:
        """Parse `[text](target "title")` at its opening bracket. Return the link and its end, or None."""
        closing = self.partners.get(opening)
        if closing is None or not self.source.startswith("(", closing + 1):
            return None
        destination = self._destination(closing + 2)
        if destination is None:
            return None
        target, title, end = destination
        return Link(self.source[opening + 1 : closing], unshield(target), title and unshield(title)), end

    def _destination(self, start: int) -> tuple[str, str | None, int] | None:
        """Return target, title and end. The target ends at the title or at the first closing bracket."""
        if start > self.last_bracket:
            return None
        bracket = self.source.index(")", start)
        for match in _TITLE_START.finditer(self.source, start, bracket):
            quote = match["quote"]
            if match.end() > self.last_title_end[quote]:
                continue
            ending = _TITLE_END[quote].search(self.source, match.end())
            if ending:
                target = self.source[start : match.start()].strip()
                return target, self.source[match.end() : ending.start()], ending.end()
        return self.source[start:bracket].strip(), None, bracket + 1


def _bracket_partners(source: str) -> dict[int, int]:
    """Return the index of the closing bracket by the index of its opening bracket."""
    partners: dict[int, int] = {}
    open_brackets: list[int] = []
    for match in _BRACKET.finditer(source):
        if match[0] == "[":
            open_brackets.append(match.start())
        elif open_brackets:
            partners[open_brackets.pop()] = match.start()
    return partners


def _last_start(pattern: re.Pattern[str], source: str) -> int:
    """Return the start of the last match, or -1."""
    last = -1
    for match in pattern.finditer(source):
        last = match.start()
    return last
