"""Render Markdown in templates: `{{ text|prose }}` for paragraphs, `{{ text|line }}` for a sentence. Escape HTML."""

from django.template import Library
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = Library()

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@register.filter
def prose(text: str) -> SafeString:
    # A wide code block scrolls. Without a mouse, that needs a focus.
    html = str(_markdown.render(text)).replace("<pre>", '<pre tabindex="0">')
    return mark_safe(html)  # noqa: S308  the renderer escapes


@register.filter
def line(text: str) -> SafeString:
    return mark_safe(str(_markdown.renderInline(text)))  # noqa: S308  the renderer escapes
