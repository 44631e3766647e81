"""Write the tree as a preheader: the first words of an email, which mail programs show beside its subject.

Source: docs/reference/rendering.md §4.7.
"""

from collections.abc import Iterator, Sequence

from notifications.rendering.markdown.plain import PlainWriter
from notifications.rendering.markdown.tree import Block, Inset, Item, Link, List

MAX_CHARACTERS = 256


def write(blocks: Sequence[Block]) -> str:
    """Return the preheader as one line. It is not escaped: the page must do that."""
    writer = _PreheaderWriter()
    start = ""
    for block in _without_insets(blocks):
        start = " ".join(f"{start} {writer.block(block)}".split())
        if len(start) >= MAX_CHARACTERS:
            break
    return start[:MAX_CHARACTERS].strip()


def _without_insets(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Inset):
            yield from _without_insets(block.blocks)
        else:
            yield block


class _PreheaderWriter(PlainWriter):
    def heading(self, text: str, level: int) -> str:
        return f"\n\n{text}"

    def items(self, block: List) -> Sequence[Item]:
        return block.items[:MAX_CHARACTERS]  # each item has at least one character: its bullet or number

    def rule(self) -> str:
        return ""

    def link(self, text: str, link: Link) -> str:
        return f"{text} ({link.title})" if link.title else text
