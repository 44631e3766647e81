"""Write the tree as an HTML fragment. Source: docs/reference/rendering.md §4.3, §4.5, §5.

All text from templates and requests passes `_escaped` or `_attribute`, so all markup comes from this file. Styles are
inline because mail programs drop style sheets.
"""

import html
from collections.abc import Sequence
from urllib.parse import quote

from notifications.rendering.markdown import tree
from notifications.rendering.markdown.typography import typeset, with_text_before

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


def write(blocks: Sequence[tree.Block]) -> str:
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
            return _element("blockquote", write(block.blocks))


def _item(item: tree.Item) -> str:
    return _element(
        "li",
        "".join(
            _inlines(block.inlines) if isinstance(block, tree.Paragraph) and not item.is_loose else _block(block)
            for block in item.blocks
        ),
    )


def _inlines(nodes: Sequence[tree.Inline]) -> str:
    return "".join([_inline(node, before) for node, before in with_text_before(nodes)])


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
