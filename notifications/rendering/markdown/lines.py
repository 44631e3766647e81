"""What a single line of an email body can be. Source: docs/reference/rendering.md §4.3.

Lines come without tabs, without spaces at their end, and white-space-only ones empty (see blocks.parse). Leading
spaces mean nothing here; only in lists do they nest.
"""

import re
from typing import NamedTuple

MAX_HEADING_MARKS = 6

_MARK = re.compile(
    r"(?P<indent> *+)(?:(?P<bullet>[*•-])(?!(?P=bullet))|[0-9]++\.)(?P<space> *+)(?P<text>.*)", re.DOTALL
)
_BLOCK_START = re.compile(r" *+[-*_#•0-9+]")
_ENDS_WITH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\\Z")  # an odd number of backslashes
_TABLE_DIVIDER = frozenset("-:| ")


class Mark(NamedTuple):
    """The mark of a list item, and what follows it on its line."""

    indent: int
    is_ordered: bool
    has_space: bool
    text: str


def indent(line: str) -> int:
    """Count the leading spaces."""
    return len(line) - len(line.lstrip(" "))


def is_rule(line: str, characters: str = "-*_") -> bool:
    """Say whether the line is three or more of one of the characters and nothing but spaces between.

    >>> is_rule("* * *"), is_rule("--"), is_rule("-_-")
    (True, False, False)
    """
    start = line.lstrip(" ")[:1]
    return start != "" and start in characters and line.count(start) >= 3 and not line.strip(f"{start} ")


def heading(line: str) -> tuple[int, str] | None:
    """Return level and text of a `#` heading; the text is empty where a value left nothing of it.

    >>> heading("  ##Parking ##")
    (2, 'Parking')
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
    is_row_of_hashes = (
        not closed and stripped[level : level + 1] == "#"
    )  # more than a heading's marks in a row: typed so
    return level, "#" if is_row_of_hashes else closed.rstrip(" ")


def underline(line: str) -> int | None:
    """Return the level of the heading that this line, of only `=` or only `-`, makes of the one above it."""
    stripped = line.strip(" ")
    if not stripped:
        return None
    if not stripped.strip("="):
        return 1
    return None if stripped.strip("-") else 2


def is_inset(line: str) -> bool:
    """Say whether the line starts with a caret."""
    return line.lstrip(" ").startswith("^")


def without_caret(line: str) -> str:
    """Take the caret off a line of an inset, if it has one, and one space after it."""
    return line.lstrip(" ")[1:].removeprefix(" ") if is_inset(line) else line


def mark(line: str) -> Mark | None:
    """Read the mark of a list item: a bullet not doubled, or digits and a full stop.

    >>> mark("  - rope")
    Mark(indent=2, is_ordered=False, has_space=True, text='rope')
    """
    match = _MARK.match(line)
    if match is None:
        return None
    indent, bullet, space, text = match.groups()
    return Mark(indent=len(indent), is_ordered=bullet is None, has_space=bool(space), text=text)


def is_table_divider(line: str) -> bool:
    """Say whether the line can stand below the head of a table."""
    return "|" in line and "-" in line and _TABLE_DIVIDER.issuperset(line)


def interrupts_paragraph(line: str) -> bool:
    """Say whether the line begins a block of its own below running text."""
    if not _BLOCK_START.match(line):
        return False
    if heading(line) or is_rule(line, "*_") or line.lstrip(" ").startswith("+ "):
        return True
    item = mark(line)
    return item is not None and item.has_space and not line.lstrip(" ").startswith("•")
