"""Render the text of a tile: the Markdown of emails, without HTML, images and code.

Source: docs/reference/dashboards.md §2.
"""

from functools import cache

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

_RULES = ("heading", "list", "blockquote", "hr", "link", "autolink", "emphasis", "escape", "newline", "entity")
_BELOW_TITLES = 2  # the title of a page is h1, and that of a tile is h2


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("zero", {"html": False}).enable(list(_RULES))


def html(text: str) -> SafeString:
    """Return the text as HTML. Headings are smaller than the title of a tile, and links open no other window."""
    markdown = _markdown()
    tokens = markdown.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + _BELOW_TITLES, 6)}"
        _mark_links(token)
    # The renderer escapes texts and attributes, and its links lead only to http, https and mailto.
    return SafeString(markdown.renderer.render(tokens, markdown.options, {}))


def _mark_links(token: Token) -> None:
    for child in token.children or ():
        if child.type == "link_open":
            child.attrSet("rel", "noreferrer")
