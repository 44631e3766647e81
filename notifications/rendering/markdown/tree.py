"""Define the nodes of a parsed email body.

Text in the nodes is raw: without HTML and typography, with escaped characters shielded (see `characters`). Running text
within one line is a plain string. Nodes are not frozen, which halves the time: a body of 1 MB has 300,000 nodes.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Break:
    """A line end inside a paragraph."""


@dataclass(slots=True)
class Link:
    """A link with a text."""

    text: str
    target: str
    title: str | None = None


@dataclass(slots=True)
class BareUrl:
    """A bare URL in the text, which becomes a link to itself."""

    target: str


Inline = str | Break | Link | BareUrl


@dataclass(slots=True)
class Paragraph:
    """Running text."""

    inlines: list[Inline]


@dataclass(slots=True)
class Heading:
    """A heading of level 1 or 2, which becomes h2 or h3."""

    level: int
    inlines: list[Inline]


@dataclass(slots=True)
class Rule:
    """A thematic break."""


@dataclass(slots=True)
class Item:
    """One item of a list: its text, then nested lists.

    is_loose: whether a blank line is in or beside it, so that its text becomes paragraphs; set after the next line
    """

    blocks: list["Paragraph | List"]
    is_loose: bool = False


@dataclass(slots=True)
class List:
    """A bulleted or numbered list."""

    is_ordered: bool
    items: list[Item]


@dataclass(slots=True)
class Inset:
    """Text with a bar on its left."""

    blocks: list["Block"]


Block = Paragraph | Heading | Rule | List | Inset
