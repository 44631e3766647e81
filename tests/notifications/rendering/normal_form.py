"""The normal form for comparing HTML fragments. Source: docs/reference/rendering.md §9."""

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "hr", "img"}
BLOCKS = {"p", "h2", "h3", "ul", "ol", "li", "blockquote", "hr", "div", "table", "tbody", "tr", "td"}
LISTS = {"ul", "ol"}
TABLE_PARTS = {"tbody", "tr", "td"}
IGNORED_ATTRIBUTES = {"style", "class"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)


class _TreeBuilder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs if name not in IGNORED_ATTRIBUTES}
        element = Element(tag, attributes)
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        names = [element.name for element in self.open]
        if tag in names[1:]:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        children = self.open[-1].children
        if children and isinstance(children[-1], str):
            children[-1] += data
        else:
            children.append(data)


def normal_form(fragment: str) -> str:
    """Return a fragment in a form in which equal meaning is equal text."""
    builder = _TreeBuilder()
    builder.feed(fragment)
    builder.close()
    return _children(builder.root).strip(" ")


def _children(element: Element) -> str:
    """Return the contents without white space at the edges of blocks and beside breaks."""
    children = [_unwrapped(child) for child in element.children]
    written = []
    for place, child in enumerate(children):
        if isinstance(child, Element):
            written.append(_element(child))
            continue
        text = re.sub(r"[ \t\r\n\f]+", " ", child)
        before = children[place - 1] if place else None
        after = children[place + 1] if place + 1 < len(children) else None
        if _is_edge(before) or (before is None and _is_block(element)):
            text = text.lstrip(" ")
        if _is_edge(after) or (after is None and _is_block(element)):
            text = text.rstrip(" ")
        written.append(html.escape(text, quote=False).replace("\u00a0", "&nbsp;"))
    return "".join(written)


def _element(element: Element) -> str:
    attributes = "".join(f' {name}="{_attribute(value)}"' for name, value in sorted(element.attributes.items()))
    if element.name in VOID:
        return f"<{element.name}{attributes}>"
    return f"<{element.name}{attributes}>{_children(element)}</{element.name}>"


def _attribute(value: str) -> str:
    return html.escape(value, quote=False).replace('"', "&quot;").replace("\u00a0", "&nbsp;")


def _is_block(element: "Element | str | None") -> bool:
    return isinstance(element, Element) and element.name in BLOCKS | {""}


def _is_edge(node: "Element | str | None") -> bool:
    return isinstance(node, Element) and (node.name in BLOCKS or node.name == "br")


def _unwrapped(node: "Element | str") -> "Element | str":
    """Replace the presentation table around a list, and the `div` around an inset, with their content."""
    if not isinstance(node, Element):
        return node
    if node.name == "table" and node.attributes == {"role": "presentation"}:
        inner = node
        while (only := _only_child(inner)) and only.name in TABLE_PARTS and not only.attributes:
            inner = only
        only = _only_child(inner)
        return only if only and only.name in LISTS else node
    if node.name == "div" and not node.attributes and (only := _only_child(node)) and only.name == "blockquote":
        return only
    return node


def _only_child(element: Element) -> Element | None:
    children = [child for child in element.children if not (isinstance(child, str) and not child.strip())]
    return children[0] if len(children) == 1 and isinstance(children[0], Element) else None
