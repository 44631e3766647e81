"""The index of the search box: operations, fields, errors and chapters, each with its URL.

Source: docs/reference/running.md §8.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from config.docs import errors, page

Entry = tuple[str, str, str, str]  # title, a second line, kind, URL below /docs/
Json = dict[str, Any]  # Any: the context of a template


@cache
def index() -> Sequence[Entry]:
    """Return the entries, the best kinds first. They are made once in each process."""
    sections = [section for area in page.areas() for section in area["sections"]]
    operations = [operation for section in sections for operation in section["operations"]]
    return [
        *(_operation(one) for one in operations),
        *((one["chapter"].title, "", "Chapter", f"#{one['chapter'].anchor}") for one in sections),
        *(_error(slug, one["error"]) for slug, one in errors.pages().items()),
        *(field for one in operations for field in _fields(one)),
    ]


def _operation(operation: Json) -> Entry:
    second = f"{operation['method']} {operation['path']}"
    return (operation["summary"], second, "Operation", f"#{operation['anchor']}")


def _error(slug: str, error: Any) -> Entry:  # Any: an ApiError
    return (error.message, f"{error.status} {error.kind or slug}", "Error", f"errors/{slug}/")


def _fields(operation: Json) -> list[Entry]:
    """Return the parameters and the fields of the body and of the answers, each once."""
    groups = [operation["parameters"], operation["body"], *(answer["fields"] for answer in operation["answers"])]
    names = dict.fromkeys(field.name for group in groups for field in group)
    return [(name, operation["summary"], "Field", f"#{operation['anchor']}") for name in names]
