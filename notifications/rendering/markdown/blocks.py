"""Parse the lines of a body into a tree of paragraphs, headings, rules, lists and insets.
Source: docs/reference/rendering.md §4.3.

Each kind of block has a reader function. It gets all lines and the index where a block may start. It returns the block
and the index of the next block, or None if its kind of block does not start there. The readers run in the order of the
contract.
"""

import re
from collections.abc import Callable

from notifications.rendering.characters import without_surrogates
from notifications.rendering.markdown import inline, lines, lists
from notifications.rendering.markdown.tree import Block, Break, Heading, Inline, Inset, Paragraph, Rule

MAX_INSET_DEPTH = 6  # deeper carets are text, which limits the recursion
TAB_STOPS = 4
NO_BREAK_SPACE = "\u00a0"

# A line is running text unless it begins with a mark or the line below it is an underline.
_MARK = re.compile(r" *+[-*_#^•0-9=]")
_UNDERLINE = re.compile(r" *+[-=]")

_Reading = tuple[Block | None, int] | None
_Reader = Callable[[list[str], int], _Reading]


def parse(source: str) -> list[Block]:
    """Parse the body of an email.

    >>> parse("# Tides")
    [Heading(level=1, inlines=['Tides'])]
    """
    unix = without_surrogates(source).replace("\r\n", "\n").replace("\r", "\n")
    return _blocks(["" if _is_blank(line) else line.rstrip(" ") for line in unix.expandtabs(TAB_STOPS).split("\n")])


def _is_blank(line: str) -> bool:
    """Return whether the line has only white space. A no-break space is content: authors add space with `&nbsp;`."""
    return not line.strip() and NO_BREAK_SPACE not in line


def _blocks(source: list[str], inset_depth: int = 0) -> list[Block]:
    blocks: list[Block] = []
    at = 0
    while at < len(source):
        if not source[at]:
            at += 1
            continue
        block, at = _block(source, at, inset_depth)
        if block:
            blocks.append(block)
    return blocks


def _block(source: list[str], at: int, inset_depth: int) -> tuple[Block | None, int]:
    if not _may_begin_block(source, at):
        return _paragraph(source, at)
    for reader in _BEFORE_INSETS:
        if reading := reader(source, at):
            return reading
    if inset_depth < MAX_INSET_DEPTH and lines.is_inset(source[at]):
        return _inset(source, at, inset_depth)
    return lists.read(source, at) or _paragraph(source, at)


def _may_begin_block(source: list[str], at: int) -> bool:
    line = source[at]
    return "|" in line or _MARK.match(line) is not None or _is_above_underline(source, at)


def _is_above_underline(source: list[str], at: int) -> bool:
    return at + 1 < len(source) and _UNDERLINE.match(source[at + 1]) is not None


def _rule(source: list[str], at: int) -> _Reading:
    return (Rule(), at + 1) if lines.is_rule(source[at]) else None


def _heading(source: list[str], at: int) -> _Reading:
    found = lines.heading(source[at])
    if found is None:
        return None
    level, text = found
    inlines = inline.parse(text)
    if not _is_seen(inlines):
        return None, at + 1  # its images are dropped
    return Heading(level, inlines) if level <= 2 else Paragraph(inlines), at + 1


def _table(source: list[str], at: int) -> _Reading:
    """Drop a table, because it is unreadable on a phone and in the plain text part."""
    if "|" not in source[at] or at + 1 == len(source) or not lines.is_table_divider(source[at + 1]):
        return None
    end = at + 2
    while end < len(source) and "|" in source[end]:
        end += 1
    return None, end


def _underlined_heading(source: list[str], at: int) -> _Reading:
    level = lines.underline(source[at + 1]) if _is_above_underline(source, at) else None
    if not level:
        return None
    inlines = inline.parse(source[at].strip(" "))
    return Heading(level, inlines) if _is_seen(inlines) else None, at + 2


def _inset(source: list[str], at: int, inset_depth: int) -> tuple[Block | None, int]:
    """Read an inset. Carets without text are shown as typed: one paragraph, so that the work stays linear."""
    contents, end = _inset_lines(source, at)
    if not any(contents):
        carets = "\n".join([line.strip(" ") for line in source[at:end] if line])
        return Paragraph(inline.parse(carets)), end
    blocks = _blocks(contents, inset_depth + 1)
    return Inset(blocks) if blocks else None, end


def _paragraph(source: list[str], at: int) -> tuple[Block | None, int]:
    end = at + 1
    while end < len(source) and source[end] and not lines.interrupts_paragraph(source[end]):
        if end + 1 < len(source) and lines.underline(source[end + 1]):
            break
        end += 1
    text = source[at] if end == at + 1 else "\n".join([line.strip(" ") for line in source[at:end]])
    inlines = inline.parse(text.strip(" "))
    return Paragraph(inlines) if _is_seen(inlines) else None, end


def _is_seen(nodes: list[Inline]) -> bool:
    """Return whether a block is visible after images are dropped.

    >>> _is_seen([" ", Break()]), _is_seen(["\\u00a0"])
    (False, True)
    """
    return any(node.strip(" ") if isinstance(node, str) else not isinstance(node, Break) for node in nodes)


def _inset_lines(source: list[str], at: int) -> tuple[list[str], int]:
    """Return the lines of an inset and of the insets that follow it, without carets, and the index after them."""
    contents: list[str] = []
    end = at
    while end < len(source) and lines.is_inset(source[end]):
        while end < len(source) and source[end]:
            contents.append(lines.without_caret(source[end]))
            end += 1
        contents.append("")
        while end < len(source) and not source[end]:
            end += 1
    return contents, end


_BEFORE_INSETS: tuple[_Reader, ...] = (_rule, _heading, _table, _underlined_heading)
