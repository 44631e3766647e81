"""Render the HTML part of an email: its fragment in the page that all emails share."""

from typing import Protocol

from django.template.loader import render_to_string

DOCUMENT_TEMPLATE = "email/document.html"

_FRAGMENT_PLACE = "<!-- fragment -->"


class Parts(Protocol):
    """The parts of an email, as `EmailText` and `previews.PreviewParts` have them. html: a fragment"""

    @property
    def language(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def preheader(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def plain(self) -> str: ...


def html_document(text: Parts) -> str:
    """Return the HTML part.

    Django escapes the title and the preheader. The fragment, which its writer escapes, then replaces a comment in the
    page. Escaped text cannot contain a comment, so no input is ever marked as safe.
    """
    values = {"language": text.language, "title": text.title, "preheader": text.preheader}
    page = render_to_string(DOCUMENT_TEMPLATE, values)
    before, _, after = page.partition(_FRAGMENT_PLACE)
    return before + text.html + after
