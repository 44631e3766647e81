"""What defines a template: the same fields in files, in the API and in imports.

Source: docs/reference/template-files.md §1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any
from uuid import UUID

from notifications.validation.languages import DEFAULT_LANGUAGE

EMAIL, SMS = "email", "sms"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedFile:
    """A fixed file of a template, named as a send names it.

    path: its name in the folder of a template file; empty to choose one
    """

    data: bytes = field(repr=False)
    filename: str
    confirm_email_before_download: bool = True
    retention_period: str = "26 weeks"
    path: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A template as files and the API describe it, exactly as stored.

    id: None for a template that is not stored yet
    subject: None for a text message
    tags: in lower case, sorted; defaults: the values of placeholders that a send leaves out
    language: of the text; translations: `[{"language", "subject", "content"}]`, the subject null in text messages
    files: the fixed files by placeholder
    """

    id: UUID | None = None
    name: str
    type: str
    subject: str | None = None
    unsubscribe_link: bool = False
    respect_quiet_hours: bool = False
    redact_personalisation: bool = False
    archived: bool = False
    tags: list[str] = field(default_factory=list)
    defaults: dict[str, str] = field(default_factory=dict)
    language: str = DEFAULT_LANGUAGE
    translations: list[dict[str, str | None]] = field(default_factory=list)
    files: dict[str, FixedFile] = field(default_factory=dict)
    content: str

    def text(self) -> dict[str, Any]:
        """Return the columns of a version."""
        return {name: getattr(self, name) for name in TEXT}

    def options(self) -> dict[str, Any]:
        """Return the columns of the template itself."""
        return {name: getattr(self, name) for name in OPTIONS}


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionField:
    """A field of a definition. is_text: belongs to a version; is_option: is a column of the template itself"""

    name: str
    type: type
    is_text: bool = False
    is_option: bool = False
    emails_only: bool = False


# One entry for each field besides `content`, in the order of a file.
FIELDS = (
    DefinitionField(name="id", type=str),
    DefinitionField(name="name", type=str, is_text=True),
    DefinitionField(name="type", type=str),
    DefinitionField(name="subject", type=str, is_text=True, emails_only=True),
    DefinitionField(name="unsubscribe_link", type=bool, is_text=True, emails_only=True),
    DefinitionField(name="respect_quiet_hours", type=bool, is_option=True),
    DefinitionField(name="redact_personalisation", type=bool, is_option=True),
    DefinitionField(name="archived", type=bool),
    DefinitionField(name="tags", type=list),
    DefinitionField(name="defaults", type=dict, is_text=True),
    DefinitionField(name="language", type=str, is_text=True),
    DefinitionField(name="translations", type=list, is_text=True),
    DefinitionField(name="files", type=dict, emails_only=True),
)
BY_NAME: Mapping[str, DefinitionField] = {one.name: one for one in FIELDS}
TEXT = (*(one.name for one in FIELDS if one.is_text), "content")
OPTIONS = tuple(one.name for one in FIELDS if one.is_option)


def named(definition: Definition) -> Iterator[tuple[DefinitionField, Any]]:
    """Return each field that a template of this type has, with its value."""
    for one in FIELDS:
        if definition.type == EMAIL or not one.emails_only:
            yield one, getattr(definition, one.name)


def default_of(name: str) -> Any:
    """Return the value of a field that a file leaves out."""
    one = next(one for one in fields(Definition) if one.name == name)
    return one.default if one.default_factory is MISSING else one.default_factory()


def fits(name: str, value: object) -> bool:
    """Return whether a JSON value has the type of a field, and can be stored."""
    if type(value) is not BY_NAME[name].type:
        return False
    if name == "translations":
        return isinstance(value, list) and all(_is_translation(one) for one in value)
    if name == "files":
        return isinstance(value, dict) and all(map(_is_storable, value)) and all(map(_is_file, value.values()))
    parts = [value]
    if isinstance(value, list):
        parts = value
    elif isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, bool):
        parts = []
    return all(isinstance(part, str) and _is_storable(part) for part in parts)


def _is_translation(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != {"language", "subject", "content"}:
        return False
    texts = [text for name, text in value.items() if name != "subject" or text is not None]
    return all(isinstance(text, str) and _is_storable(text) for text in texts)


def _is_file(value: object) -> bool:
    """Return whether a value names a file as a template file does: `file` is its name in the folder."""
    types = {"file": str, "filename": str, "confirm_email_before_download": bool, "retention_period": str}
    if not isinstance(value, dict) or not {"file", "filename"} <= value.keys() <= types.keys():
        return False
    texts = [text for text in value.values() if isinstance(text, str)]
    return all(type(one) is types[name] for name, one in value.items()) and all(map(_is_storable, texts))


def _is_storable(text: str) -> bool:
    """Return whether a text has neither U+0000 nor half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= one <= "\udfff" for one in text)
