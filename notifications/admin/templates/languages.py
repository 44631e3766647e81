"""The texts of a template in further languages, as fields of the editor. Source: docs/reference/console.md §2.4."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language_info

from config.invalid import InvalidValue
from notifications.models import Channel, TemplateVersion
from notifications.validation.languages import MAX_LANGUAGES, parse_language, primary


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
    """Return the submitted texts as a version stores them. Raises InvalidValue if a language code is wrong."""
    return [
        {
            "language": parse_language(section.language.strip()),
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
        known = get_language_info(primary(parse_language(code)))["name"]
    except (InvalidValue, KeyError):
        return code
    return f"{known} ({code})"


def _submitted(typed: Mapping[str, Any]) -> Iterator[LanguageFields]:
    for number in range(1, MAX_LANGUAGES):
        values = {name: plain_text(typed.get(f"{name}-{number}")) for name in ("language", "subject", "content")}
        if any(values.values()):
            yield LanguageFields(number=number, **values)


def plain_text(value: object) -> str:
    """Return a typed text without the CR that browsers send, and without NUL."""
    return str(value or "").replace("\r\n", "\n").replace("\0", "")
