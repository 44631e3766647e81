"""The content of the documentation page, in HTML and plain text, from the OpenAPI document and the areas' parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.text import slugify

from config.docs import curl, fields
from config.docs.document import document
from config.docs.fields import Field
from config.docs.parts import Chapter, Part, parts
from config.rest.api_errors import ApiError

Json = dict[str, Any]  # Any: an OpenAPI document is JSON of many shapes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    about: str
    fields: Sequence[Field]
    headers: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    anchor: str
    method: str
    path: str
    summary: str
    about: str
    parameters: Sequence[Field]
    body: Sequence[Field]
    answers: Sequence[Answer]
    curl: str
    errors: Sequence[ApiError]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A chapter with its operations."""

    chapter: Chapter
    operations: Sequence[Operation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    title: str
    anchor: str
    errors: Sequence[ApiError]


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    title: str
    anchor: str
    base_url: str
    sections: Sequence[Section]
    families: Sequence[Family]


@cache
def areas() -> Sequence[Area]:
    """Return the content of the page. It is made once in each process."""
    return [_area(part) for part in parts()]


def _area(part: Part) -> Area:
    operations = [
        (operation["tags"][0], _operation(path, method, operation, part))
        for path, methods in document()["paths"].items()
        if path.startswith(part.prefix)
        for method, operation in methods.items()
    ]
    return Area(
        title=part.title,
        anchor=slugify(part.name),
        base_url=part.base_url,
        sections=[
            Section(chapter=one, operations=[operation for tag, operation in operations if tag == one.title])
            for one in part.chapters
        ],
        families=[
            Family(
                title=title,
                anchor=f"{slugify(part.name)}-errors-{slugify(title)}",
                errors=[one.documented() for one in errors],
            )
            for title, errors in part.families.items()
        ],
    )


def _operation(path: str, method: str, operation: Json, part: Part) -> Operation:
    components = document()["components"]
    schemes = components["securitySchemes"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return Operation(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        about=operation["description"],
        parameters=fields.of_parameters(operation.get("parameters", [])),
        body=fields.of_schema(body, components["schemas"]),
        answers=[
            _answer(int(status), answer, components["schemas"])
            for status, answer in operation["responses"].items()
            if int(status) < 400
        ],
        curl=curl.command(part.base_url if part.is_elsewhere else "$API", path, method, operation, schemes),
        errors=[one.documented() for one in part.errors[operation["operationId"]]],
    )


def _answer(status: int, answer: Json, schemas: Json) -> Answer:
    schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    return Answer(
        status=status,
        about=answer.get("description", ""),
        fields=fields.of_schema(schema, schemas),
        headers=list(answer.get("headers", {})),
    )
