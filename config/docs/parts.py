"""The part of each area in the API documentation. An area registers it in `config.areas` as a Documentation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.text import slugify

from config import areas
from config.rest.api_errors import ApiError


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A section of the page and a tag of the document. Operations with the tag `title` belong to it."""

    title: str
    text: str  # Markdown

    @property
    def anchor(self) -> str:
        return slugify(self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPart:
    """The part of one area.

    name:          used in names of schemas
    title:         the heading above its chapters
    prefixes:      the starts of its paths
    base_url:      the URL before its paths
    errors:        operation id → its errors, in the order of the checks
    families:      title → all errors of one family, also those of no operation
    error_schema:  JSON Schema of the body of all errors
    open_schemas:  names of the schemas that allow further properties
    exactly_one:   name of a schema → properties of which a body has exactly one
    optional_bodies: ids of operations that accept a request without its body
    pages: operation id → title and URL of pages about its answer; `{id}` is the id in the answer
    """

    name: str
    title: str
    prefixes: tuple[str, ...]
    base_url: str
    chapters: Sequence[Chapter]
    errors: Mapping[str, Sequence[type[ApiError]]]
    families: Mapping[str, Sequence[type[ApiError]]]
    error_schema: Mapping[str, object]
    open_schemas: Sequence[str] = ()
    exactly_one: Mapping[str, Sequence[str]] = field(default_factory=dict)
    optional_bodies: Sequence[str] = ()
    pages: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    @property
    def is_elsewhere(self) -> bool:
        """Return whether its URL differs from BASE_URL."""
        return self.base_url != settings.BASE_URL


@dataclass(frozen=True, slots=True)
class Documentation:
    """The dotted path of an area's Part. A process that never shows the documentation does not load it."""

    path: str


@cache
def parts() -> Sequence[ApiPart]:
    """Return the parts of the installed areas, the sending API first."""
    loaded: list[ApiPart] = [import_string(registered.path) for registered in areas.parts(Documentation)]
    return sorted(loaded, key=lambda part: part.title, reverse=True)
