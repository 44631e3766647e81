"""Writes the tree as a preheader: the first words of an email, which mail programs show beside its subject.

Source: Rendering §4.7.
"""

from collections.abc import Sequence

from notifications.rendering.markdown.plain import PlainWriter
from notifications.rendering.markdown.tree import Block, Link

MAX_CHARACTERS = 256


def write(blocks: Sequence[Block]) -> str:
    """Return the preheader on one line; raw, so the page it is put into escapes it."""
    writer = _PreheaderWriter()
    start = ""
    for block in blocks:
        start = " ".join(f"{start} {writer.block(block)}".split())
        if len(start) >= MAX_CHARACTERS:
            break
    return start[:MAX_CHARACTERS].strip()


class _PreheaderWriter(PlainWriter):
    def heading(self, text: str, level: int) -> str:
        return f"\n\n{text}"

    def rule(self) -> str:
        return ""

    def link(self, text: str, link: Link) -> str:
        return f"{text} ({link.title})" if link.title else text
