"""What each area contributes to the documentation of the APIs: its `api/schema` has a PART.

They are found by the names in AREAS when the document is first asked for, so that `config` imports neither area and a
process that shows no documentation loads none of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib import import_module

from django.conf import settings
from django.utils.text import slugify


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One way a call can be refused. `…` in the message stands for a value; `kind` is a word of the answer, if any."""

    slug: str
    status: int
    message: str
    fix: str
    kind: str = ""

    @property
    def anchor(self) -> str:
        return f"errors-{self.slug}"

    @property
    def status_name(self) -> str:
        return HTTPStatus(self.status).phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A section of the page, and a tag of the document: operations come under the title they are tagged with."""

    title: str
    text: str  # Markdown

    @property
    def anchor(self) -> str:
        return slugify(self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One area's share.

    name, title:   in names of schemas; over its chapters
    prefix:        what its addresses begin with
    problems:      operation id → the ways it can be refused, in the order they are looked for
    families:      title → all such ways that are alike, those of no operation too
    refusal:       a problem → the body of the answer; refusal_schema: what all such bodies have in common
    open_schemas:  names of the schemas that allow properties they do not name
    """

    name: str
    title: str
    prefix: str
    chapters: Sequence[Chapter]
    problems: Mapping[str, Sequence[Problem]]
    families: Mapping[str, Sequence[Problem]]
    refusal: Callable[[Problem], Mapping[str, object]]
    refusal_schema: Mapping[str, object]
    open_schemas: Sequence[str] = ()


def fix_for(slug: str) -> str:
    """Return what to do about the refusal of this slug; nothing if no area documents it."""
    return _fixes().get(slug, "")


@cache
def _fixes() -> Mapping[str, str]:
    return {one.slug: one.fix for part in parts() for family in part.families.values() for one in family}


@cache
def parts() -> Sequence[Part]:
    """Return the parts of the areas that are there, the sending API first."""
    areas = sorted(settings.AREAS, reverse=True)
    return [import_module(f"{area}.api.schema").PART for area in areas]
