"""Classify single lines of an email body. Source: docs/reference/rendering.md §4.3.

Lines have no tabs and no trailing spaces, and lines of white space are empty (see `blocks.parse`). Leading spaces have
no meaning except in lists, which they nest.
"""

import re
from typing import NamedTuple

MAX_HEADING_MARKS = 6

_MARK = re.compile(
    r"(?P<indent> *+)(?:(?P<bullet>[*•-])(?!(?P=bullet))|[0-9]++\.)(?P<space> *+)(?P<text>.*)", re.DOTALL
)
_BLOCK_START = re.compile(r" *+[-*_#•0-9+]")
_ENDS_WITH_ESCAPE = re.compile(r"(?<!\\)(?>(?:\\\\)*)\\\Z")  # an odd number of backslashes
_TABLE_DIVIDER = frozenset("-:| ")


class Mark(NamedTuple):
    """The mark of a list item, and the text after it."""

    indent: int
    is_ordered: bool
    has_space: bool
    text: str


def indent(line: str) -> int:
    """Return the number of leading spaces."""
    return len(line) - len(line.lstrip(" "))


def is_rule(line: str, characters: str = "-*_") -> bool:
    """Return whether the line is three or more of one of the characters, with optional spaces between.

    >>> is_rule("* * *"), is_rule("--"), is_rule("-_-")
    (True, False, False)
    """
    start = line.lstrip(" ")[:1]
    return start != "" and start in characters and line.count(start) >= 3 and not line.strip(f"{start} ")


def heading(line: str) -> tuple[int, str] | None:
    """Return the level and the text of a `#` heading, or None. Hashes without a text are no heading.

    >>> heading("  ##Parking ##"), heading("# #")
    ((2, 'Parking'), None)
    """
    stripped = line.strip(" ")
    if not stripped.startswith("#"):
        return None
    marks = stripped[:MAX_HEADING_MARKS]
    level = len(marks) - len(marks.lstrip("#"))
    text = stripped[level:].strip(" ")
    closed = text.rstrip("#")
    if closed != text and _ENDS_WITH_ESCAPE.search(closed):
        return level, f"{closed}#"  # the first hash is part of the text, as in "# Learn C\#"
    return (level, closed.rstrip(" ")) if closed else None


def underline(line: str) -> int | None:
    """Return the level of the heading that this line underlines: 1 for `=`, 2 for `-`, None for other lines."""
    stripped = line.strip(" ")
    if not stripped:
        return None
    if not stripped.strip("="):
        return 1
    return None if stripped.strip("-") else 2


def is_inset(line: str) -> bool:
    """Return whether the line starts with a caret."""
    return line.lstrip(" ").startswith("^")


def without_caret(line: str) -> str:
    """Remove the caret of an inset's line, if it has one, and one space after it."""
    return line.lstrip(" ")[1:].removeprefix(" ") if is_inset(line) else line


def mark(line: str) -> Mark | None:
    """Parse the mark of a list item: a single bullet, or digits and a full stop. Return None for other lines.

    >>> mark("  - rope")
    Mark(indent=2, is_ordered=False, has_space=True, text='rope')
    """
    match = _MARK.match(line)
    if match is None:
        return None
    indent, bullet, space, text = match.groups()
    return Mark(indent=len(indent), is_ordered=bullet is None, has_space=bool(space), text=text)


def is_table_divider(line: str) -> bool:
    """Return whether the line can divide the head of a table from its body."""
    return "|" in line and "-" in line and _TABLE_DIVIDER.issuperset(line)


def interrupts_paragraph(line: str) -> bool:
    """Return whether the line ends a paragraph above it and begins a block."""
    if not _BLOCK_START.match(line):
        return False
    if heading(line) or is_rule(line, "*_") or line.lstrip(" ").startswith("+ "):
        return True
    item = mark(line)
    return item is not None and item.has_space and not line.lstrip(" ").startswith("•")
