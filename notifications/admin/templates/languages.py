"""The texts of a template in further languages, as fields of the editor. Source: docs/reference/console.md §2.4."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import get_language_info

from config.console.theme import Textarea, TextInput
from notifications.models import Channel, TemplateVersion
from notifications.validation.languages import MAX_CODE_CHARACTERS, MAX_LANGUAGES, primary, spelled


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFields:
    """The fields of one language. number: the last part of their names"""

    number: int
    language: str = ""
    subject: str = ""
    content: str = ""

    @property
    def is_blank(self) -> bool:
        return not (self.subject.strip() or self.content.strip())

    @property
    def title(self) -> str:
        return named(self.language) if self.language else "Add a language"


def read(typed: Mapping[str, Any]) -> list[LanguageFields]:
    """Return the submitted texts. A text whose subject and message are empty is removed."""
    return [section for section in _submitted(typed) if not section.is_blank]


def sections(typed: Mapping[str, Any]) -> list[LanguageFields]:
    """Return the sections that the editor shows: the submitted or stored ones, and an empty one to add a language."""
    shown = [section for section in _submitted(typed) if section.language or not section.is_blank]
    number = max((section.number for section in shown), default=0) + 1
    return [*shown, LanguageFields(number=number)] if number < MAX_LANGUAGES else shown


def fields(version: TemplateVersion) -> dict[str, str]:
    """Return the stored texts as form data."""
    found = {"language": version.language}
    for number, one in enumerate(version.translations, 1):
        found |= {f"{name}-{number}": one[name] or "" for name in ("language", "subject", "content")}
    return found


def texts(typed: Mapping[str, Any]) -> list[str]:
    """Return the submitted texts that may have placeholders."""
    return [text for section in read(typed) for text in (section.subject, section.content)]


def to_store(typed: Mapping[str, Any], channel: Channel) -> list[dict[str, str | None]]:
    """Return the submitted texts as a version stores them."""
    return [
        {
            "language": spelled(section.language.strip()),
            "subject": section.subject if channel is Channel.EMAIL else None,
            "content": section.content,
        }
        for section in read(typed)
    ]


def named(code: str) -> str:
    """Return a language with its code.

    >>> named("cy"), named("xx")
    ('Welsh (cy)', 'xx')
    """
    try:
        known = get_language_info(primary(spelled(code)))["name"]
    except KeyError:
        return code
    return f"{known} ({code})"


def form_fields(section: LanguageFields, channel: str) -> dict[str, forms.Field]:
    """Return the fields of a section with their names. channel: "" if it is not chosen yet"""
    of_language = f", {section.title}" if section.language else ""
    attrs = {"lang": section.language} if of_language and section.title != section.language else {}
    shown = {
        "language": ("Language code", TextInput({"placeholder": "cy", "maxlength": MAX_CODE_CHARACTERS})),
        "subject": (f"Subject{of_language}", TextInput(attrs)),
        "content": (f"Message{of_language}", Textarea({"rows": 10, **attrs})),
    }
    options: Any = {"required": False, "strip": False}
    return {
        f"{name}-{section.number}": forms.CharField(
            label=label, widget=widget, initial=getattr(section, name), **options
        )
        for name, (label, widget) in shown.items()
        if name != "subject" or channel != Channel.SMS
    }


def _submitted(typed: Mapping[str, Any]) -> Iterator[LanguageFields]:
    for number in range(1, MAX_LANGUAGES):
        values = {name: plain_text(typed.get(f"{name}-{number}")) for name in ("language", "subject", "content")}
        if any(values.values()):
            yield LanguageFields(number=number, **values)


def plain_text(value: object) -> str:
    """Return a typed text without the CR that browsers send, and without NUL."""
    return str(value or "").replace("\r\n", "\n").replace("\0", "")
