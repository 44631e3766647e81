"""Lists and the lists in them. Source: Rendering §4.3."""

from dataclasses import dataclass, field

from notifications.rendering.markdown import inline, lines
from notifications.rendering.markdown.tree import Item, List, Paragraph

MAX_DEPTH = 6  # deeper marks are text
INDENT = 2  # further spaces that nest


@dataclass(slots=True)
class _Entry:
    """An item as read, before it is put into its list.

    depth: 0 for items of the outermost list
    paragraphs: the lines of each
    follows_blank: a blank line stands before it
    """

    depth: int
    is_ordered: bool
    follows_blank: bool
    paragraphs: list[list[str]] = field(default_factory=list)


def read(source: list[str], at: int) -> tuple[List, int] | None:
    """Read the list that starts at a line; return it and where the next block may start."""
    if lines.mark(source[at]) is None:
        return None
    entries, end = _entries(source, at)
    return _assembled(entries), end


def _entries(source: list[str], at: int) -> tuple[list[_Entry], int]:
    """Read items until a rule, two blank lines, or a blank line before one neither indented nor marked."""
    entries: list[_Entry] = []
    indents: list[int] = []
    blanks = 0
    while at < len(source):
        line = source[at]
        if line:
            mark = lines.mark(line)
            if blanks > 1 or lines.is_rule(line) or (blanks and mark is None and not lines.indent(line)):
                break
            if mark and _enter(mark.indent, indents):
                paragraphs = [[mark.text]] if mark.text else []
                entries.append(_Entry(len(indents) - 1, mark.is_ordered, blanks > 0, paragraphs))
            else:
                _join(entries[-1], line.strip(" "), as_paragraph=blanks > 0)
            blanks = 0
        else:
            blanks += 1
        at += 1
    return entries, at


def _enter(indent: int, indents: list[int]) -> bool:
    """Open or close lists for a mark with this indent; say no if it is deeper than lists go."""
    while len(indents) > 1 and indent < indents[-1]:
        indents.pop()
    if not indents:
        indents.append(indent)
    elif indent >= indents[-1] + INDENT:
        if len(indents) == MAX_DEPTH:
            return False
        indents.append(indent)
    elif len(indents) == 1:
        indents[0] = min(indents[0], indent)
    return True


def _join(entry: _Entry, text: str, *, as_paragraph: bool) -> None:
    if as_paragraph or not entry.paragraphs:
        entry.paragraphs.append([text])
    else:
        entry.paragraphs[-1].append(text)


def _assembled(entries: list[_Entry]) -> List:
    """Put items into their lists, and decide which are loose."""
    open_lists: list[List] = []
    for entry in entries:
        del open_lists[entry.depth + 1 :]
        item = Item(
            [Paragraph(inline.parse("\n".join(paragraph))) for paragraph in entry.paragraphs],
            is_loose=len(entry.paragraphs) > 1,
        )
        if len(open_lists) == entry.depth:
            nested = List(entry.is_ordered, [])
            if open_lists:
                parent = open_lists[-1].items[-1]
                parent.blocks.append(nested)
                parent.is_loose |= entry.follows_blank
            open_lists.append(nested)
        elif entry.follows_blank:
            open_lists[-1].items[-1].is_loose = item.is_loose = True
        open_lists[-1].items.append(item)
    return open_lists[0]
