"""Write the tree as an HTML fragment, as plain text and as preheader.

All text from templates and requests passes `_escaped` or `_attribute`, so all markup comes from this file. Styles are
inline because mail programs drop style sheets. Source: docs/reference/rendering.md §4.3, §4.5, §4.7, §5.
"""

import html
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from urllib.parse import quote

from notifications.rendering.characters import typeset
from notifications.rendering.markdown import tree

LIVE_SCHEMES = ("http:", "https:", "mailto:", "tel:")
MAIL_SCHEME = "mailto:"

_UNQUOTED = "_.-~:/?#=&;%"
_TEXT_STYLE = "font-size:19px;line-height:25px;color:#0b0c0c"
# A long URL must not make a table cell wider than a phone. Older programs support only one of the first two properties.
_BREAK_LONG_WORDS = "word-wrap:break-word;word-break:break-word;overflow-wrap:anywhere"
_STYLES = {
    "p": f"margin:0 0 20px;{_TEXT_STYLE}",
    "h2": "margin:0 0 15px;font-size:27px;line-height:35px;font-weight:bold;color:#0b0c0c",
    "h3": f"margin:0 0 15px;font-weight:bold;{_TEXT_STYLE}",
    "ul": f"margin:0 0 20px;padding:0 0 0 20px;list-style-type:disc;{_TEXT_STYLE}",
    "ol": f"margin:0 0 20px;padding:0 0 0 20px;list-style-type:decimal;{_TEXT_STYLE}",
    "li": f"margin:5px 0;padding:0 0 0 5px;{_TEXT_STYLE}",
    "blockquote": "margin:0 0 20px;padding:15px 0 1px 15px;border-left:10px solid #b1b4b6",
    "hr": "margin:30px 0;border:0;border-top:1px solid #b1b4b6",
    "a": f"color:#1a5490;text-decoration:underline;{_BREAK_LONG_WORDS}",  # 7.7:1 on white
}

WIDTH = 65
MAX_PREHEADER_CHARACTERS = 256
BULLET = "•"


def write_html(blocks: Sequence[tree.Block]) -> str:
    """Return the blocks as an HTML fragment."""
    return "".join(map(_block, blocks))


def href(target: str) -> str:
    """Return a link target that browsers and mail programs cannot run as a script: http(s), mailto or tel only.

    >>> href("javascript:alert(1)")
    'http://javascript:alert%281%29'
    """
    scheme_free = target.lower()
    if not scheme_free.startswith(LIVE_SCHEMES):
        target = f"http://{target}"
    return quote(target, safe=_UNQUOTED + ("@" if scheme_free.startswith(MAIL_SCHEME) else ""))


def write_plain(blocks: Sequence[tree.Block]) -> str:
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


def _block(block: tree.Block) -> str:
    match block:
        case tree.Paragraph():
            return _element("p", _inlines(block.inlines))
        case tree.Heading():
            return _element("h2" if block.level == 1 else "h3", _inlines(block.inlines))
        case tree.Rule():
            return f'<hr style="{_STYLES["hr"]}">'
        case tree.List():
            return _element("ol" if block.is_ordered else "ul", "".join(map(_item, block.items)))
        case tree.Inset():
            return _element("blockquote", write_html(block.blocks))


def _item(item: tree.Item) -> str:
    return _element(
        "li",
        "".join(
            _inlines(block.inlines) if isinstance(block, tree.Paragraph) and not item.is_loose else _block(block)
            for block in item.blocks
        ),
    )


def _inlines(nodes: Sequence[tree.Inline]) -> str:
    return "".join([_inline(node, before) for node, before in _with_text_before(nodes)])


def _inline(node: tree.Inline, before: str) -> str:
    match node:
        case str():
            return _escaped(typeset(node, before=before))
        case tree.Break():
            return "<br>"
        case tree.BareUrl():
            return _link(node.target, None, node.target)
        case tree.Link():
            return _link(node.target, node.title, typeset(node.text, curl=False) if node.text else node.target)


def _link(target: str, title: str | None, text: str) -> str:
    title_attribute = f' title="{_attribute(title)}"' if title else ""
    return f'<a href="{_attribute(href(target))}"{title_attribute} style="{_STYLES["a"]}">{_escaped(text)}</a>'


def _element(name: str, contents: str) -> str:
    return f'<{name} style="{_STYLES[name]}">{contents}</{name}>'


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _attribute(text: str) -> str:
    return html.escape(text, quote=True)


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
        return "".join([self._inline(node, before) for node, before in _with_text_before(nodes)])

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


def _with_text_before(nodes: Sequence[tree.Inline]) -> Iterable[tuple[tree.Inline, str]]:
    """Return each node of running text with the visible text of the node before it, for `typeset`."""
    return zip(nodes, chain([""], map(_visible, nodes)), strict=False)


def _visible(node: tree.Inline) -> str:
    match node:
        case str():
            return node
        case tree.Break():
            return "\n"
        case tree.BareUrl():
            return node.target
        case tree.Link():
            return node.text
