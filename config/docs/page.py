"""The content of the documentation page, in HTML and plain text, from the OpenAPI document and the areas' parts.

It is the context of the templates in `templates/docs`.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.utils.text import slugify

from config.docs import examples, fields
from config.docs.document import document
from config.docs.parts import ApiPart, parts
from config.rest.api_errors import ApiError

Json = dict[str, Any]  # Any: an OpenAPI document is JSON of many shapes


@cache
def areas() -> Sequence[Json]:
    """Return the content of the page. It is made once in each process."""
    return [_area(part) for part in parts()]


def _area(part: ApiPart) -> Json:
    operations = [
        (operation["tags"][0], _operation(path, method, operation, part))
        for path, methods in document()["paths"].items()
        if path.startswith(part.prefixes)
        for method, operation in methods.items()
    ]
    anchor = slugify(part.name)
    return {
        "title": part.title,
        "anchor": anchor,
        "base_url": part.base_url,
        "sections": [
            {"chapter": one, "operations": [operation for tag, operation in operations if tag == one.title]}
            for one in part.chapters
        ],
        "families": [
            {"title": title, "anchor": f"{anchor}-errors-{slugify(title)}", "errors": _documented(errors)}
            for title, errors in part.families.items()
        ],
    }


def _operation(path: str, method: str, operation: Json, part: ApiPart) -> Json:
    components = document()["components"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    example = examples.of_operation(path, method, operation, components["securitySchemes"])
    return {
        "anchor": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "about": operation["description"],
        "parameters": fields.of_parameters(operation.get("parameters", [])),
        "body": fields.of_schema(body, components["schemas"]),
        "answers": [
            _answer(int(status), answer, components["schemas"])
            for status, answer in operation["responses"].items()
            if int(status) < 400
        ],
        "programs": examples.programs(example, part.base_url, part.base_url if part.is_elsewhere else "$API"),
        "elsewhere": part.base_url if part.is_elsewhere else "",
        "pages": json.dumps(part.pages.get(operation["operationId"], ())),
        "errors": _documented(part.errors[operation["operationId"]]),
    }


def _answer(status: int, answer: Json, schemas: Json) -> Json:
    schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    return {
        "status": status,
        "about": answer.get("description", ""),
        "fields": fields.of_schema(schema, schemas),
        "headers": list(answer.get("headers", {})),
    }


def _documented(errors: Sequence[type[ApiError]]) -> list[ApiError]:
    return [error.documented() for error in errors]
