"""The page of each error: its cause, its fix, an example response, and the operations that return it.

All of it is read from the class of the error and from the parts of the areas. Source: docs/reference/running.md §8.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.conf import settings

from config.docs.document import document
from config.docs.parts import ApiPart, parts
from config.rest import handler
from config.rest.api_errors import ApiError

Json = dict[str, Any]  # Any: the context of a template


@cache
def pages() -> Mapping[str, Json]:
    """Return the content of each page by slug. It is made once in each process."""
    return {
        kind.slug: _page(kind.documented(), family, part)
        for part in parts()
        for family, kinds in part.families.items()
        for kind in kinds
    }


def _page(error: ApiError, family: str, part: ApiPart) -> Json:
    headers = {"Content-Type": "application/json", "Link": handler.help_link(error)}
    body = json.dumps(error.body(f"{settings.BASE_URL}/docs/"), ensure_ascii=False, indent=2)
    return {
        "error": error,
        "family": family,
        "cause": error.cause or error.message,
        "response": "\n".join(
            [
                f"HTTP/1.1 {error.status} {error.status_name}",
                *(f"{name}: {value}" for name, value in headers.items()),
                "",
                body,
            ]
        ),
        "operations": [
            {"anchor": operation["operationId"], "summary": operation["summary"]}
            for methods in document()["paths"].values()
            for operation in methods.values()
            if any(kind.slug == error.slug for kind in part.errors.get(operation["operationId"], ()))
        ],
    }
