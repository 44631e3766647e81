"""The one OpenAPI document of both areas: generated from the addresses and views, completed with what each refuses.

Source: Developer experience §8.
"""

from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from config.docs.parts import Part, Problem, parts

Json = dict[str, Any]  # Any: an OpenAPI document is JSON of many shapes
Endpoint = tuple[str, str, str, Any]  # as drf-spectacular hands them on: path, regular expression, method, view

_ANSWER_HEADERS: Mapping[str, tuple[str, Json]] = {
    "X-Request-Id": (
        "Made by us for each request; quote it when you ask about one.",
        {"type": "string", "format": "uuid"},
    ),
    "Retry-After": ("After how many seconds to try again.", {"type": "integer", "minimum": 0}),
    "Link": (
        'The entry of this error in the documentation, with `rel="help"`.',
        {"type": "string", "pattern": '^<.+>; rel="help"$'},
    ),
    "WWW-Authenticate": ("How to authenticate.", {"const": "Bearer"}),
}
_MAY_RETRY = frozenset({409, 429, 503})


_one_at_a_time = Lock()


def document() -> Json:
    """Return the document; it is the same for as long as the process lives."""
    with _one_at_a_time:  # the generator loads itself piece by piece and fails where two threads ask at once
        return _kept()


def generate() -> Json:
    found: Json = SchemaGenerator().get_schema(public=True)
    return found


_kept = cache(generate)


def keep_documented(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Keep the addresses of the APIs, each once: a slash at the end leads to the same."""
    prefixes = tuple(part.prefix for part in parts())  # loads what the areas say about their views
    found: dict[tuple[str, str], Endpoint] = {}
    for path, pattern, method, view in endpoints:
        address = path.removesuffix("/")
        if address.startswith(prefixes):
            found.setdefault((address, method), (address, pattern, method, view))
    return list(found.values())


def complete(result: Json, **_: object) -> Json:
    """Add what is true of every operation: its refusals, the headers of every answer, and the chapters as tags."""
    _drop_marks(result)
    # The generator takes an address's methods from a set, in an order that changes from process to process.
    result["paths"] = {path: dict(sorted(methods.items())) for path, methods in result["paths"].items()}
    schemas = result["components"]["schemas"]
    open_schemas = {name for part in parts() for name in part.open_schemas}
    for name, schema in schemas.items():
        if schema.get("type") == "object" and name not in open_schemas and "properties" in schema:
            schema.setdefault("additionalProperties", False)
    for part in parts():
        schemas[_refusal_name(part)] = part.refusal_schema
        for path, methods in result["paths"].items():
            if path.startswith(part.prefix):
                for operation in methods.values():
                    _refuse(operation, part)
    for methods in result["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                _name_headers(int(status), answer)
    result["components"]["headers"] = {
        name: {"description": text, "schema": schema, "required": name == "X-Request-Id"}
        for name, (text, schema) in _ANSWER_HEADERS.items()
    }
    result["tags"] = [
        {"name": chapter.title, "description": chapter.text} for part in parts() for chapter in part.chapters
    ]
    return result


def _drop_marks(node: object) -> None:
    """Take out what the generator writes for other hooks alone."""
    if isinstance(node, dict):
        node.pop("x-spec-enum-id", None)
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _drop_marks(child)


def _refusal_name(part: Part) -> str:
    return f"{part.name}Refusal"


def _refuse(operation: Json, part: Part) -> None:
    """Name every refusal by an example of its answer: the message as its summary, the fix as its description."""
    for problem in part.problems[operation["operationId"]]:
        answer = operation["responses"].setdefault(str(problem.status), {"description": problem.status_name})
        schema = {"$ref": f"#/components/schemas/{_refusal_name(part)}"}
        content = answer.setdefault("content", {}).setdefault("application/json", {"schema": schema, "examples": {}})
        content["examples"][problem.slug] = _example(problem, part)
    operation["responses"] = dict(sorted(operation["responses"].items()))


def _example(problem: Problem, part: Part) -> Json:
    return {"summary": problem.message, "description": problem.fix, "value": part.refusal(problem)}


def _name_headers(status: int, answer: Json) -> None:
    names = ["X-Request-Id"]
    if status >= 400:
        names.append("Link")
    if status in _MAY_RETRY:
        names.append("Retry-After")
    if status == 401:
        names.append("WWW-Authenticate")
    headers = answer.setdefault("headers", {})
    headers |= {name: {"$ref": f"#/components/headers/{name}"} for name in names}
