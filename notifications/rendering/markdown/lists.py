"""Parse lists and nested lists. Source: docs/reference/rendering.md §4.3."""

from notifications.rendering.markdown import inline, lines
from notifications.rendering.markdown.tree import Item, List, Paragraph

MAX_DEPTH = 6  # deeper marks are text
INDENT = 2  # additional spaces that nest a list


def read(source: list[str], at: int) -> tuple[List, int] | None:
    """Parse the list at an index. Return the list and the index of the next block, or None.

    A mark without a text begins a list only above an item with a text, because `-` alone often stands for "none". A
    list ends at a rule, at two blank lines, or at a blank line before a line that has no indent and no mark.
    """
    first = lines.mark(source[at])
    if first is None or not (first.text or _has_text_below(source, at)):
        return None
    reader = _Reader()
    blanks = 0
    while at < len(source):
        line = source[at]
        if line:
            mark = lines.mark(line)
            if blanks > 1 or lines.is_rule(line) or (blanks and mark is None and not lines.indent(line)):
                break
            if mark and reader.enter(mark.indent):
                reader.add_item(mark, follows_blank=blanks > 0)
            else:
                reader.join(line.strip(" "), as_paragraph=blanks > 0)
            blanks = 0
        else:
            blanks += 1
        at += 1
    reader.end_item()
    return reader.open_lists[0], at


def _has_text_below(source: list[str], at: int) -> bool:
    below = lines.mark(source[at + 1]) if at + 1 < len(source) else None
    return below is not None and bool(below.text)


class _Reader:
    """The open lists and the current item.

    indents: indents of the open lists, the innermost last
    paragraphs: the lines of each paragraph of the current item
    """

    def __init__(self) -> None:
        self.open_lists: list[List] = []
        self.indents: list[int] = []
        self.paragraphs: list[list[str]] = []

    def enter(self, indent: int) -> bool:
        """Open or close lists for a mark with this indent. Return False if the indent exceeds MAX_DEPTH lists."""
        indents = self.indents
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

    def add_item(self, mark: lines.Mark, *, follows_blank: bool) -> None:
        """Add an item to the innermost list. A blank line before it makes it and the previous item loose."""
        self.end_item()
        item = Item([])
        depth = len(self.indents) - 1
        del self.open_lists[depth + 1 :]
        if len(self.open_lists) == depth:
            nested = List(mark.is_ordered, [])
            if self.open_lists:
                parent = self.open_lists[-1].items[-1]
                parent.blocks.append(nested)
                parent.is_loose |= follows_blank
            self.open_lists.append(nested)
        elif follows_blank:
            self.open_lists[-1].items[-1].is_loose = item.is_loose = True
        self.open_lists[-1].items.append(item)
        self.paragraphs = [[mark.text]] if mark.text else []

    def join(self, text: str, *, as_paragraph: bool) -> None:
        """Add a line to the current item."""
        if as_paragraph or not self.paragraphs:
            self.paragraphs.append([text])
        else:
            self.paragraphs[-1].append(text)

    def end_item(self) -> None:
        """Add the gathered paragraphs to the current item."""
        if not self.open_lists:
            return
        item = self.open_lists[-1].items[-1]
        for paragraph in self.paragraphs:
            item.blocks.append(Paragraph(inline.parse("\n".join(paragraph))))
        item.is_loose |= len(self.paragraphs) > 1
