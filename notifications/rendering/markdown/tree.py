"""The nodes of a parsed email body: what the parser makes and the three writers read.

Text in the nodes is raw: without HTML and typography, with escaped characters shielded (see `characters`). Running text
within one line is a plain string. Nodes are not frozen, which halves the time: a body of 1 MB has 300,000 of them.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Break:
    """A line end inside a paragraph."""


@dataclass(slots=True)
class Link:
    """A link with a text of its own."""

    text: str
    target: str
    title: str | None = None


@dataclass(slots=True)
class Address:
    """A web address standing in the text, linked to itself."""

    target: str


Inline = str | Break | Link | Address


@dataclass(slots=True)
class Paragraph:
    """Running text."""

    inlines: list[Inline]


@dataclass(slots=True)
class Heading:
    """A heading of the first or second level, which readers get as h2 and h3."""

    level: int
    inlines: list[Inline]


@dataclass(slots=True)
class Rule:
    """A line across."""


@dataclass(slots=True)
class Item:
    """One item of a list: its text, then nested lists.

    is_loose: a blank line stands beside or in it, so its text is set as paragraphs; known only once the next line is
    """

    blocks: list["Paragraph | List"]
    is_loose: bool = False


@dataclass(slots=True)
class List:
    """Bullets or numbers."""

    is_ordered: bool
    items: list[Item]


@dataclass(slots=True)
class Inset:
    """Text set apart by a bar on its left."""

    blocks: list["Block"]


Block = Paragraph | Heading | Rule | List | Inset


def is_seen(nodes: list[Inline]) -> bool:
    """Return whether anything of a block is left to see once empty values are filled in and images dropped.

    >>> is_seen([" ", Break()]), is_seen(["\\u00a0"])
    (False, True)
    """
    return any(node.strip(" ") if isinstance(node, str) else not isinstance(node, Break) for node in nodes)


def visible(node: Inline) -> str:
    """Return what a reader sees of a node, for the typography of the node after it."""
    match node:
        case str():
            return node
        case Break():
            return "\n"
        case Address():
            return node.target
        case Link():
            return node.text
