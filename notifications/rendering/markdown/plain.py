"""Write the tree as plain text: the plain part and the preheader. Source: docs/reference/rendering.md §4.7."""

from collections.abc import Iterator, Sequence

from notifications.rendering.markdown import tree
from notifications.rendering.markdown.typography import typeset, with_text_before

WIDTH = 65
MAX_PREHEADER_CHARACTERS = 256
BULLET = "•"


def write(blocks: Sequence[tree.Block]) -> str:
    """Return the plain text part. It starts with text and ends with one newline."""
    return _PlainWriter().blocks(blocks).lstrip() + "\n"


def write_preheader(blocks: Sequence[tree.Block]) -> str:
    """Return the first words of the email on one line. They are not escaped: the page must do that."""
    writer = _PreheaderWriter()
    start = ""
    for block in _without_insets(blocks):
        start = " ".join(f"{start} {writer.block(block)}".split())
        if len(start) >= MAX_PREHEADER_CHARACTERS:
            break
    return start[:MAX_PREHEADER_CHARACTERS].strip()


class _PlainWriter:
    """One method for each kind of node. The preheader's writer overrides four of them."""

    def blocks(self, blocks: Sequence[tree.Block]) -> str:
        """Write blocks in order. Each block starts with its own newlines."""
        return "".join(map(self.block, blocks))

    def block(self, block: tree.Block) -> str:
        """Write one block."""
        match block:
            case tree.Paragraph():
                return "\n\n" + self.inlines(block.inlines)
            case tree.Heading():
                return self.heading(self.inlines(block.inlines), block.level)
            case tree.Rule():
                return self.rule()
            case tree.List():
                return "\n" + "".join(self.item(item, number) for number, item in _numbered(block, self.items(block)))
            case tree.Inset():
                return self.blocks(block.blocks)

    def items(self, block: tree.List) -> Sequence[tree.Item]:
        """Return the items to write: all of them, unless a subclass limits them."""
        return block.items

    def item(self, item: tree.Item, number: str) -> str:
        """Write one item after its number or bullet."""
        return f"\n{number} {self.blocks(item.blocks).strip()}"

    def heading(self, text: str, level: int) -> str:
        """Write a heading, underlined."""
        return f"\n\n\n{text}\n{('=' if level == 1 else '-') * WIDTH}"

    def rule(self) -> str:
        """Write a thematic break."""
        return "\n\n" + ("=-" * WIDTH)[:WIDTH]

    def link(self, text: str, link: tree.Link) -> str:
        """Write a link with its visible target."""
        title = f" ({link.title})" if link.title else ""
        return f"{text}{title}: {link.target}"

    def inlines(self, nodes: Sequence[tree.Inline]) -> str:
        """Write running text."""
        return "".join([self._inline(node, before) for node, before in with_text_before(nodes)])

    def _inline(self, node: tree.Inline, before: str) -> str:
        match node:
            case str():
                return typeset(node, before=before)
            case tree.Break():
                return "\n"
            case tree.BareUrl():
                return node.target
            case tree.Link():
                return self.link(typeset(node.text), node)


class _PreheaderWriter(_PlainWriter):
    def heading(self, text: str, level: int) -> str:
        return f"\n\n{text}"

    def items(self, block: tree.List) -> Sequence[tree.Item]:
        return block.items[:MAX_PREHEADER_CHARACTERS]  # each item has at least one character: its bullet or number

    def rule(self) -> str:
        return ""

    def link(self, text: str, link: tree.Link) -> str:
        return f"{text} ({link.title})" if link.title else text


def _numbered(block: tree.List, items: Sequence[tree.Item]) -> Iterator[tuple[str, tree.Item]]:
    return ((f"{place}." if block.is_ordered else BULLET, item) for place, item in enumerate(items, start=1))


def _without_insets(blocks: Sequence[tree.Block]) -> Iterator[tree.Block]:
    for block in blocks:
        if isinstance(block, tree.Inset):
            yield from _without_insets(block.blocks)
        else:
            yield block
