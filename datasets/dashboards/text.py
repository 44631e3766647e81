"""Render the text of a tile: the Markdown of emails, without HTML, images and code.

Source: docs/reference/dashboards.md §2.
"""

from functools import cache

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

_RULES = ("heading", "list", "blockquote", "hr", "link", "autolink", "emphasis", "escape", "newline", "entity")
_FIRST, _LAST = 3, 6  # the title of a page is h1, and that of a tile is h2


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("zero", {"html": False}).enable(list(_RULES))


def html(text: str) -> SafeString:
    """Return the text as HTML. Its largest headings are h3, below the title of the tile."""
    markdown = _markdown()
    tokens = markdown.parse(text)
    headings = [token for token in tokens if token.type in {"heading_open", "heading_close"}]
    levels = sorted({token.tag for token in headings})
    for token in headings:
        token.tag = f"h{min(_FIRST + levels.index(token.tag), _LAST)}"
    for token in tokens:
        _mark_links(token)
    # The renderer escapes texts and attributes, and its links lead only to http, https and mailto.
    return SafeString(markdown.renderer.render(tokens, markdown.options, {}))


def _mark_links(token: Token) -> None:
    for child in token.children or ():
        if child.type == "link_open":
            child.attrSet("rel", "noreferrer")
